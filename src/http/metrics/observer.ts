/** What the server tells those who count: one call for every request, answered or refused, whatever became of it. */
export type RequestDone = {
  /** The template of the route (`/api/v1/sessions/:id`), so that labels stay few; `unknown` where no route matched. */
  route: string
  method: string
  /** 499 where the client left before it was answered. */
  status: number
  seconds: number
  /** Sent to the client, headers included. */
  bytes: number
  /** What logs call the API key; undefined without a valid one. */
  keyName: string | undefined
  /** The agents that worked for the request, joined by commas, where the route said so. */
  backend: string | undefined
  /** The code of the fault with which the request was refused. */
  refusal: string | undefined
}

export type ServerObserver = {
  /** Has arrived and is not yet done: for a count of what is under way. */
  requestStarted?(): void
  requestDone?(done: RequestDone): void
}
