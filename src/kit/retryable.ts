/**
 * Which errors a repetition may help: the only place that decides it. Every face reads it, and docs/errors.md shows it.
 *
 * Something is busy or limited for a short time, and nothing has to be changed. An agent that failed in another way is not
 * run again by a client that only sees this: it may have changed files, and costs money again. Nor is a limit listed that
 * lasts for hours: SDKs repeat a request within seconds.
 */
const RETRYABLE: ReadonlySet<string> = new Set([
  // The model service asks for a later request.
  ...['agent_overloaded', 'agent_rate_limited', 'upstream_overloaded', 'upstream_rate_limited'],
  // A limit of drover that is free again soon.
  ...['queue_full', 'budget_full', 'run_queue_full', 'drive_limit_reached', 'client_tools_crowded'],
  ...['too_many_connections', 'too_many_connections_of_address', 'too_many_open_requests', 'too_many_requests'],
  ...['too_many_wrong_keys', 'request_timeout'],
  // Something else uses it at the moment.
  ...['session_active', 'response_running', 'acp_session_busy', 'comparison_running', 'drive_busy', 'run_busy'],
  ...['lock_busy', 'session_store_busy', 'file_changed', 'program_not_started'],
  // A server, a worker, the store or the network is away.
  ...['shutting_down', 'worker_missing', 'database_trouble', 'postgres_unavailable', 'server_trouble'],
  ...['execution_start_not_saved', 'provider_rate_limited', 'provider_unreachable', 'origin_not_fetched'],
  ...['gh_timeout', 'git_timeout'],
])

/** Whether the same request may succeed if it is sent again unchanged. An unknown code is final. */
export function isRetryable(code: string): boolean {
  return RETRYABLE.has(code)
}
