/** Fields as they stand in the log. Neither keys nor bodies are among them, prompts and answers only if asked for. */
export type AccessEntry = {
  request_id: string
  method: string
  route: string
  status: number
  bytes: number
  duration_ms: number
  client: string
  key?: string
  /** Several are joined by commas. */
  backend?: string
  error?: string
  trace_id?: string
  prompt?: string
  answer?: string
}
