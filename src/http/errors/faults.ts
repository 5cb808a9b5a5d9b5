import { defineFault } from '../../kit/fault.ts'

export const internalError = defineFault({
  code: 'internal_error',
  kind: 'internal',
  when: 'A bug in drover; the log of the server has the stack under the request id.',
  say: (_: Record<never, never>) =>
    'something went wrong inside drover; the log of the server says more under this request id',
})

export const serverTrouble = defineFault({
  code: 'server_trouble',
  kind: 'unavailable',
  when: 'The server cannot read or write a file that it needs, such as that of the sessions; its log says which.',
  say: (_: Record<never, never>) =>
    'the server cannot use its own files at the moment; its log says more under this request id',
})

export const unauthorized = defineFault({
  code: 'unauthorized',
  kind: 'unauthorized',
  when: 'The server has API keys and the request carries none, or one that it does not know.',
  say: (d: { problem: 'missing' | 'invalid' }) =>
    d.problem === 'missing'
      ? 'missing API key; send it as "X-Api-Key: KEY" or "Authorization: Bearer KEY"'
      : 'invalid API key; the server does not know the key that was sent',
})

export const hostNotAllowed = defineFault({
  code: 'host_not_allowed',
  kind: 'invalid',
  when: 'A server without API keys that listens on this machine alone was asked under a foreign name, as in DNS rebinding.',
  say: (d: { host: string }) =>
    `this server has no API keys and answers only as localhost, not as ${JSON.stringify(d.host)}; use http://localhost, or set API keys`,
})

export const originNotAllowed = defineFault({
  code: 'origin_not_allowed',
  kind: 'invalid',
  when: 'A web page whose origin is not allowed calls a server without API keys, or asks in a preflight.',
  say: (d: { origin: string }) =>
    `web pages of ${JSON.stringify(d.origin)} may not call this server; add the origin to server.cors_allowed_origins if they should`,
})

export const tooManyRequests = defineFault({
  code: 'too_many_requests',
  kind: 'rate_limited',
  when: 'A client sent more requests than its rate limit allows.',
  say: (d: { limit: number; retryAfterSecs: number }) =>
    `too many requests; the next one is allowed in ${d.retryAfterSecs} ${d.retryAfterSecs === 1 ? 'second' : 'seconds'}`,
})

export const requestTooLarge = defineFault({
  code: 'request_too_large',
  kind: 'too_large',
  when: 'The body of a request has more bytes than `server.max_request_body_bytes`.',
  say: (d: { limitBytes: number }) => `the request body exceeds the limit of ${d.limitBytes} bytes`,
})

export const requestTimeout = defineFault({
  code: 'request_timeout',
  kind: 'invalid',
  when: 'A request did not arrive as a whole within `server.read_timeout_secs`.',
  say: (d: { limitSecs: number }) => `the request did not arrive within ${d.limitSecs} seconds; send it faster`,
})

export const requestCutOff = defineFault({
  code: 'request_cut_off',
  kind: 'invalid',
  when: 'The client stopped sending in the middle of a request body.',
  say: (_: Record<never, never>) => 'the request body ended before it was complete',
})

export const requestMalformed = defineFault({
  code: 'request_malformed',
  kind: 'invalid',
  when: 'What was sent is not HTTP, lacks a host, asks for a tunnel, or has a path that is not valid percent-encoding.',
  say: (d: { problem: string }) => `the request cannot be read: ${d.problem}`,
})

export const expectationUnsupported = defineFault({
  code: 'expectation_unsupported',
  kind: 'invalid',
  when: 'The `Expect` header of a request asks for something else than `100-continue`.',
  say: (d: { expectation: string }) =>
    `the header Expect is ${JSON.stringify(d.expectation)}; only "100-continue" can be met`,
})

export const headersTooLarge = defineFault({
  code: 'headers_too_large',
  kind: 'too_large',
  when: 'The headers of a request are larger than the server reads.',
  say: (d: { limitBytes: number }) => `the request headers exceed the limit of ${d.limitBytes} bytes`,
})

export const bodyMissing = defineFault({
  code: 'body_missing',
  kind: 'invalid',
  when: 'An endpoint that needs a JSON body was called without one.',
  say: (_: Record<never, never>) => 'the request body is required; send a JSON object',
})

export const mediaTypeUnsupported = defineFault({
  code: 'media_type_unsupported',
  kind: 'invalid',
  when: 'The body of a request is of another media type than JSON.',
  say: (d: { mediaType: string }) =>
    `the request body is ${JSON.stringify(d.mediaType)}; send JSON with "Content-Type: application/json"`,
})

export const pathNotFound = defineFault({
  code: 'not_found',
  kind: 'not_found',
  when: 'No endpoint has the path of the request.',
  say: (d: { path: string; meant?: string | undefined }) =>
    `there is no endpoint ${d.path}; ${d.meant === undefined ? '' : `did you mean ${d.meant}? `}GET /docs shows those there are`,
})

export const methodNotAllowed = defineFault({
  code: 'method_not_allowed',
  kind: 'invalid',
  when: 'The endpoint exists, but not for the method of the request; `Allow` lists those it has.',
  say: (d: { method: string; path: string; allow: readonly string[] }) =>
    `${d.path} does not take ${d.method}; use ${d.allow.join(', ')}`,
})

export const shuttingDown = defineFault({
  code: 'shutting_down',
  kind: 'unavailable',
  when: 'The server is stopping: it finishes what it began and takes nothing new.',
  say: (_: Record<never, never>) => 'the server is shutting down; try again when it is back',
})

export const listenFailed = defineFault({
  code: 'listen_failed',
  kind: 'unavailable',
  when: 'The server cannot listen where it is told to: the place is taken, forbidden or not on this machine.',
  say: (d: { place: string; problem: string }) => `the server cannot listen on ${d.place}: ${d.problem}`,
})

export const unsupportedFeature = defineFault({
  code: 'unsupported_feature',
  kind: 'invalid',
  when: 'A compatible request asks for what agents on a command line do not have: tools, images, audio, other parts.',
  say: (d: { place: string; feature: string }) => `${d.place}: ${d.feature} cannot be used here; send text alone`,
})

export const modelNotFound = defineFault({
  code: 'model_not_found',
  kind: 'not_found',
  when: 'No model of the list has this id. Prompts may name other models too; this is only about the list.',
  say: (d: { model: string }) =>
    `there is no model ${JSON.stringify(d.model)} in the list; GET /openai/v1/models has them`,
})

export const apiVersionInvalid = defineFault({
  code: 'api_version_invalid',
  kind: 'invalid',
  when: 'A message request has no `anthropic-version` header, or one that is not a date of the calendar.',
  say: (d: { given: string | undefined }) =>
    d.given === undefined
      ? 'the header anthropic-version is required; send "anthropic-version: 2023-06-01"'
      : `the header anthropic-version is ${JSON.stringify(d.given)}, which is no date; send "anthropic-version: 2023-06-01"`,
})

export const backendExecutionFailed = defineFault({
  code: 'backend_execution_failed',
  kind: 'internal',
  when: 'The agent that a compatible request was given to failed; the detail is its own message.',
  say: (d: { backend: string; reason: string; code: string }) => `${d.backend} failed: ${d.reason}`,
})

export const backendTimeout = defineFault({
  code: 'backend_timeout',
  kind: 'unavailable',
  when: 'The agent that a compatible request was given to took longer than it may.',
  say: (d: { reason: string }) => d.reason,
})
