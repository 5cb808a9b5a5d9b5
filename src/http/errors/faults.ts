import { defineFault } from '../../kit/fault.ts'

export const internalError = defineFault('internal_error', 'internal', {
  when: 'A bug in drover. The server log has the stack trace under the request id.',
  message: () => 'internal error; the server log has the details under this request id',
})

export const unauthorized = defineFault('unauthorized', 'unauthorized', {
  when: 'The server requires an API key, and the request has no key or an unknown one.',
  message: (d: { problem: 'missing' | 'invalid' }) =>
    d.problem === 'missing'
      ? 'missing API key; send it as "X-Api-Key: KEY" or "Authorization: Bearer KEY"'
      : 'invalid API key; check the key, or ask the operator of this server for one',
})

export const hookSignatureInvalid = defineFault('hook_signature_invalid', 'unauthorized', {
  when: 'A delivery to `/hooks/github` has no signature, or one that was not made with the secret in `server.webhook_secret_file`.',
  message: () =>
    'the signature is not valid; use the same secret in the webhook and in the file of server.webhook_secret_file',
})

export const hookSecretUnusable = defineFault('hook_secret_unusable', 'unavailable', {
  when: 'The file in `server.webhook_secret_file` is missing, or its secret is shorter than 16 characters. Nothing is accepted until that is corrected.',
  // A stranger may read it, so the reason is only in the log.
  message: () => 'the secret of the webhook cannot be used; the log of the server has the reason',
})

export const accessEnded = defineFault('access_ended', 'unauthorized', {
  when: 'The key of a request was revoked or its login ended while the response was being sent, so the connection was closed. This appears only in the log.',
  message: () => 'the key was revoked or the login ended before the end of the response',
})

export const consoleNotBuilt = defineFault('console_not_built', 'not_found', {
  when: 'The console was requested, but it has not been built in this clone. A package that was made with `npm pack` contains it.',
  message: () =>
    'the console is not built in this clone; run "npm run build:console", or start the server with "npm start"',
})

export const loginFailed = defineFault('login_failed', 'unauthorized', {
  when: 'A login to the console has an unknown API key, or a one-time link that was used or has expired.',
  message: (d: { by: 'key' | 'link' }) =>
    d.by === 'key'
      ? 'this is not a valid API key; check it, or ask the operator of this server for one'
      : 'this link was used before, or is older than 5 minutes; "drover open" prints a new one',
})

export const loginNotNeeded = defineFault('login_not_needed', 'conflict', {
  when: 'A login was attempted at the console of a server that has no API keys.',
  message: () => 'this server has no API keys, so there is nothing to log in to',
})

export const hostNotAllowed = defineFault('host_not_allowed', 'invalid', {
  when: 'A server that has no API keys and listens only on loopback received a `Host` header that names another host, as in DNS rebinding.',
  message: (d: { host: string }) =>
    `this server has no API keys and only accepts localhost as its host, not ${JSON.stringify(d.host)}; use http://localhost, or set API keys`,
})

export const originNotAllowed = defineFault('origin_not_allowed', 'invalid', {
  when: 'A web page from an origin that is not allowed sent a request to a server without API keys, or sent a CORS preflight request.',
  message: (d: { origin: string; canBeListed: boolean }) =>
    `web pages from ${JSON.stringify(d.origin)} may not call this server; ${
      d.canBeListed
        ? 'to allow them, add the origin to server.cors_allowed_origins ("drover config set server.cors_allowed_origins ORIGIN...") and restart the server'
        : 'such an origin cannot be allowed: serve the page from an address such as http://localhost:3000, and allow that'
    }`,
})

export const tooManyRequests = defineFault('too_many_requests', 'rate_limited', {
  when: 'A client sent more requests than its rate limit allows.',
  message: (d: { limit: number; retryAfterSecs: number }) =>
    `too many requests; retry in ${d.retryAfterSecs} ${d.retryAfterSecs === 1 ? 'second' : 'seconds'}`,
})

export const tooManyConnections = defineFault('too_many_connections', 'unavailable', {
  when: 'All connections that `server.max_connections` allows are in use. `/health` is still answered.',
  message: (d: { limit: number }) => `all ${d.limit} server connections are in use; retry later`,
})

export const tooManyConnectionsOfAddress = defineFault('too_many_connections_of_address', 'rate_limited', {
  when: 'A client address has as many connections in use as `server.max_connections_per_address` allows.',
  message: (d: { limit: number }) =>
    `your address has ${d.limit} ${d.limit === 1 ? 'connection' : 'connections'} in use, the most that the server allows; close some of them`,
})

export const tooManyOpenRequests = defineFault('too_many_open_requests', 'rate_limited', {
  when: 'An API key, or an address without a key, has as many open requests as `server.max_open_requests_per_key` allows.',
  message: (d: { limit: number; of: 'key' | 'address' }) =>
    `your ${d.of} has ${d.limit} open ${d.limit === 1 ? 'request' : 'requests'}, the most that the server allows; close some of them, such as streams, and retry`,
})

export const tooManyWrongKeys = defineFault('too_many_wrong_keys', 'rate_limited', {
  when: 'An address sends wrong API keys or failed logins faster than the server answers them. Valid keys that have been used from that address before are not affected.',
  message: (d: { retryAfterSecs: number }) =>
    `too many wrong API keys from your address; check the key, and retry in ${d.retryAfterSecs} ${d.retryAfterSecs === 1 ? 'second' : 'seconds'}`,
})

export const requestTooLarge = defineFault('request_too_large', 'too_large', {
  when: 'The request body is larger than `server.max_request_body_bytes`, or the body of a login is larger than 4 KiB.',
  message: (d: { limitBytes: number }) =>
    `the request body exceeds the limit of ${d.limitBytes} bytes; send a smaller one`,
})

export const requestTimeout = defineFault('request_timeout', 'invalid', {
  when: 'The request did not arrive completely within `server.read_timeout_secs`, or a login did not arrive within 5 seconds.',
  message: (d: { limitSecs: number }) => `the request did not arrive completely within ${d.limitSecs} seconds`,
})

export const requestCutOff = defineFault('request_cut_off', 'invalid', {
  when: 'The client stopped sending in the middle of the request body.',
  message: () => 'the request body ended before it was complete',
})

export const requestMalformed = defineFault('request_malformed', 'invalid', {
  when: 'The request is not valid HTTP, has no `Host` header or several, asks for a tunnel, or has an invalid percent-encoded path.',
  message: (d: { problem: string }) => `malformed request: ${d.problem}`,
})

export const expectationUnsupported = defineFault('expectation_unsupported', 'invalid', {
  when: 'The `Expect` header of the request is not `100-continue`.',
  message: (d: { expectation: string }) =>
    `the Expect header is ${JSON.stringify(d.expectation)}; only "100-continue" is supported`,
})

export const headersTooLarge = defineFault('headers_too_large', 'too_large', {
  when: 'The request headers are larger than the server accepts.',
  message: (d: { limitBytes: number }) => `the request headers exceed the limit of ${d.limitBytes} bytes`,
})

export const bodyMissing = defineFault('body_missing', 'invalid', {
  when: 'The request has no body, but the endpoint needs one.',
  message: () => 'the request body is missing; send a JSON object',
})

export const mediaTypeUnsupported = defineFault('media_type_unsupported', 'invalid', {
  when: 'The `Content-Type`, `Content-Encoding` or `Transfer-Encoding` header says that the request body is not plain JSON.',
  message: (d: { mediaType: string }) =>
    `the request body is ${JSON.stringify(d.mediaType)}; send JSON with "Content-Type: application/json"`,
})

export const pathNotFound = defineFault('not_found', 'not_found', {
  when: 'No endpoint has this path.',
  message: (d: { path: string; meant?: string | undefined }) =>
    `no endpoint ${d.path}; ${d.meant === undefined ? '' : `did you mean ${d.meant}? `}GET /docs lists all endpoints`,
})

export const endpointNotOffered = defineFault('endpoint_not_offered', 'not_found', {
  when: 'The endpoint belongs to an API that drover implements only partly, and drover does not offer this endpoint.',
  message: (d: { path: string; reason: string }) => `${d.path} is not offered: ${d.reason}`,
})

export const methodNotAllowed = defineFault('method_not_allowed', 'invalid', {
  when: 'The endpoint exists but does not support this method. The `Allow` header lists the supported methods.',
  message: (d: { method: string; path: string; allow: readonly string[] }) =>
    `${d.path} does not support ${d.method}; use ${d.allow.join(', ')}`,
})

export const clientDisconnected = defineFault('client_disconnected', 'unavailable', {
  when: 'The client disconnected before it received the response, and its prompt was canceled. This appears only in the log.',
  message: () => 'the client disconnected before the response',
})

export const requestCancelled = defineFault('request_cancelled', 'invalid', {
  when: 'The prompt of a chat completion or message was canceled, such as with `POST /api/v1/executions/{id}/cancel`. Client libraries do not repeat a request with this status (400).',
  message: () => 'the prompt was canceled',
})

export const listenFailed = defineFault('listen_failed', 'unavailable', {
  when: 'The server cannot listen on its address, because the address is in use, is not permitted, or does not belong to this machine.',
  message: (d: { place: string; problem: string }) => `the server cannot listen on ${d.place}: ${d.problem}`,
})

export const modelNotFound = defineFault('model_not_found', 'not_found', {
  when: 'The model list has no model with this id. Or a prompt names a model that no rule matches, and `server.unknown_models` is `refuse`.',
  message: (d: { model: string; list: string }) =>
    `no model ${JSON.stringify(d.model)}; GET ${d.list} lists the models`,
})

export const responseNotFound = defineFault('response_not_found', 'not_found', {
  when: 'No stored response has this id: it was created with `store: false`, was deleted, has expired, or belongs to another key.',
  message: (d: { id: string }) =>
    `no response ${JSON.stringify(d.id)} is stored; it may have been deleted, expired, or created with store: false`,
})

export const responseRunning = defineFault('response_running', 'conflict', {
  when: 'A response that has not ended cannot be deleted or continued.',
  message: (d: { id: string }) => `response ${d.id} has not ended yet; wait for it, or cancel it first`,
})

export const previousResponseNotFound = defineFault('previous_response_not_found', 'invalid', {
  when: 'A request names a `previous_response_id` that is not stored: it was deleted, perhaps while the request was running, is older than `executions.keep_days`, or belongs to another key.',
  message: (d: { id: string; place: string }) =>
    `previous_response_id: no response ${JSON.stringify(d.id)} is stored; it may have been deleted, expired, or created with store: false; ` +
    'send the whole conversation as input instead',
})

export const conversationNotFound = defineFault('conversation_not_found', 'not_found', {
  when: 'No conversation of the Responses API has this id: it was deleted, has expired, or belongs to another key.',
  message: (d: { id: string }) =>
    `no conversation ${JSON.stringify(d.id)} is stored; it may have been deleted; POST /openai/v1/conversations starts one`,
})

export const conversationItemNotFound = defineFault('conversation_item_not_found', 'not_found', {
  when: 'A conversation of the Responses API has no item with this id, or no longer.',
  message: (d: { id: string }) => `the conversation has no item ${JSON.stringify(d.id)}; list its items`,
})

export const sessionBackendDiffers = defineFault('session_backend_differs', 'invalid', {
  when: 'A request to the OpenAI or Anthropic API continues a session of one backend with a model that selects another backend.',
  message: (d: { id: string; backend: string; model: string; selected: string }) =>
    `session ${d.id} belongs to ${d.backend}, but the model ${JSON.stringify(d.model)} selects ${d.selected}; send the model "${d.backend}", or start a new session`,
})

export const apiVersionInvalid = defineFault('api_version_invalid', 'invalid', {
  when: 'A request to the Messages API has no `anthropic-version` header, or its value is not a calendar date.',
  message: (d: { given: string | undefined }) =>
    d.given === undefined
      ? 'the anthropic-version header is required; send "anthropic-version: 2023-06-01"'
      : `the anthropic-version header is ${JSON.stringify(d.given)}, which is not a date; send "anthropic-version: 2023-06-01"`,
})

/** What is known about a failed agent. `agentCode` is sent in a header. */
type AgentFailed = { backend: string; reason: string; agentCode: string }

export const backendExecutionFailed = defineFault('backend_execution_failed', 'internal', {
  when: "The agent failed while running the prompt of a request to the OpenAI or Anthropic API. The message is the agent's own.",
  message: (d: AgentFailed) => `${d.backend} failed: ${d.reason}`,
})

export const upstreamRateLimited = defineFault('upstream_rate_limited', 'rate_limited', {
  when: 'The model service of the agent is rate-limiting requests (429). `Retry-After` says how long to wait.',
  message: (d: AgentFailed & { retryAfterSecs?: number | undefined }) =>
    `${d.backend} failed: its model service allows no more requests for now: ${d.reason}`,
})

export const upstreamUsageLimited = defineFault('upstream_usage_limited', 'rate_limited', {
  when: 'The usage window of the plan that the agent uses is used up (429). `Retry-After` says how long until it resets, if the agent says so.',
  message: (d: AgentFailed & { retryAfterSecs?: number | undefined }) =>
    `${d.backend} failed: the plan that the agent uses on the server has reached its usage limit: ${d.reason}`,
})

export const upstreamOutOfCredit = defineFault('upstream_out_of_credit', 'internal', {
  when: 'The account that the agent uses has no credit left, or has reached its spend limit (402). Waiting does not help.',
  message: (d: AgentFailed) =>
    `${d.backend} failed: the account that the agent uses on the server has no credit left: ${d.reason}`,
})

export const upstreamOverloaded = defineFault('upstream_overloaded', 'unavailable', {
  when: 'The model service of the agent is overloaded (503, 529). `Retry-After` says how long to wait.',
  message: (d: AgentFailed & { retryAfterSecs?: number | undefined }) =>
    `${d.backend} failed: its model service is overloaded: ${d.reason}`,
})

export const upstreamAuth = defineFault('upstream_auth', 'internal', {
  when: "The model service rejects the agent's account (401, 403). The API key of the request is not the cause.",
  message: (d: AgentFailed) =>
    `${d.backend} failed: its model service refuses the account that the agent uses on the server: ${d.reason}`,
})

export const upstreamRejected = defineFault('upstream_rejected', 'invalid', {
  when: 'The model service of the agent rejects the request (400), for instance because the prompt is too long.',
  message: (d: AgentFailed) => `${d.backend} failed: its model service rejects the request: ${d.reason}`,
})

export const upstreamModelUnknown = defineFault('upstream_model_unknown', 'not_found', {
  when: 'The model service of the agent does not know the model, or does not offer it to the account that the agent uses (404).',
  message: (d: AgentFailed & { model: string | undefined }) =>
    `${d.backend} failed: its model service does not know the model${d.model === undefined ? '' : ` ${JSON.stringify(d.model)}`}: ${d.reason}; send another model, or only ${JSON.stringify(d.backend)} for its usual one`,
})

export const backendTimeout = defineFault('backend_timeout', 'unavailable', {
  when: 'The agent did not finish the prompt of a request to the OpenAI or Anthropic API before the timeout.',
  message: (d: { reason: string; agentCode?: string | undefined }) => d.reason,
})

export const idempotencyKeyInvalid = defineFault('idempotency_key_invalid', 'invalid', {
  when: 'The header `Idempotency-Key` is too long or has characters that are not printable ASCII.',
  message: () => 'the Idempotency-Key must be 1 to 255 printable ASCII characters, for example a UUID',
})

export const pushIsOff = defineFault('push_is_off', 'conflict', {
  when: 'A browser asked for notifications, and the settings have no target of the type `browsers`.',
  message: () => 'this server notifies no browsers: add a target of the type browsers to notify.targets',
})

export const pushNeedsLogin = defineFault('push_needs_login', 'conflict', {
  when: 'A request with an API key asked for notifications of a browser. They belong to a login to the console.',
  message: () => 'log in to the console: notifications of a browser belong to a login',
})

export const imageNotFetched = defineFault('image_not_fetched', 'invalid', {
  when: 'A request names an image by its address, and the server could not fetch it, or must not: its host has a private address, it is too large, or it takes too long.',
  message: (d: { url: string; problem: string }) =>
    `the image ${d.url} cannot be fetched: ${d.problem}; send it as a data URL`,
})
