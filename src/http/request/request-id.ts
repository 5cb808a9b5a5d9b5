/** Ids are written to logs and headers, so only what cannot be mistaken for anything else is taken over. */
const SANE_ID = /^[A-Za-z0-9._:/+=@-]{1,128}$/

/** The id that the client gave its request, if it is a sane one. */
export function requestIdFrom(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' && SANE_ID.test(header) ? header : undefined
}
