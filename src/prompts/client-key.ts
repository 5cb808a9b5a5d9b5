/** An API key of a server. What belongs to it is stored under its id; the name is for people. */
export type ClientKey = {
  readonly id: string
  readonly name: string
  /** It sees the sessions of all keys. */
  readonly seesAll?: boolean
}
