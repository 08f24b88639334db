/** The files of a folder, as they were found. */
export interface Listing {
  /** Relative, with slashes; what ends with one is a folder. */
  paths: string[];
  /** What is missing and why, as a sentence; undefined: nothing is. */
  cut?: string | undefined;
}
