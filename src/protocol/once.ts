/**
 * Delays MAKE until its value is first asked for, and keeps that value.
 *
 * Building a zod schema costs far more than reading the table it stands in, and most schemas are only ever needed for
 * the documentation. A bridge that is starting must not pay for them.
 */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
