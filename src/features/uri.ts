/** URI as people read it. Not every editor escapes what it should, and what cannot be decoded stays as it is. */
export function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
