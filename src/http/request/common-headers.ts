/** What every response has, whoever gives it. Documents that may be kept say so themselves. */
export function commonHeaders(requestId: string): Record<string, string> {
  return { 'x-request-id': requestId, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }
}
