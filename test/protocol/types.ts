/** What the compile-time tests are written in. */

/** Compiles only if T is `never`; the error names what T is. */
export type None<T extends never> = T;

/** The keys of a record of answers whose answer is not `true`. */
export type Failing<Answers> = { [K in keyof Answers]: Answers[K] extends true ? never : K }[keyof Answers];

export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export type Assignable<From, To> = [From] extends [To] ? true : false;
export type Flat<T> = { [K in keyof T]: T[K] };

/** `name.key` for each key of a member of the union THEIRS that the same member of OURS does not have. */
export type KeysLacking<Name extends string, Theirs, Ours> = Theirs extends unknown
  ? `${Name}.${Exclude<keyof Theirs, KeysOf<Ours>> & string}`
  : never;
type KeysOf<T> = T extends unknown ? keyof T : never;

/**
 * T as it arrives over a pipe. A member that may be `undefined` is absent there, so that pi's `name: string | undefined`
 * is our `name?: string`. `any` stays: it says nothing about being absent.
 */
export type Wire<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends readonly (infer Item)[]
      ? Wire<Item>[]
      : Equal<T, object> extends true
        ? Record<string, unknown>
        : Flat<
            { [K in keyof T as MayBeAbsent<T[K]> extends true ? never : K]: Wire<T[K]> } & {
              [K in keyof T as MayBeAbsent<T[K]> extends true ? K : never]?: Wire<Exclude<T[K], undefined>>;
            }
          >;
type MayBeAbsent<T> = 0 extends 1 & T ? false : undefined extends T ? true : false;
