type Given<T> = { [F in keyof T as undefined extends T[F] ? never : F]: T[F] } & {
  [F in keyof T as undefined extends T[F] ? F : never]?: Exclude<T[F], undefined>
}

/** The same object without the fields that are undefined: a message leaves out what is not there. */
export function withoutUndefined<const T extends object>(object: T): Given<T> {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Given<T>
}
