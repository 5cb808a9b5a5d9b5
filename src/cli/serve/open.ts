import type { Run } from '../command.ts'
import { consoleUnavailable } from '../local/faults.ts'
import type { ConsoleLink } from '../local/local-protocol.ts'
import { callServer } from '../local/server-client.ts'

export const run: Run = async (invocation) => {
  const { terminal } = invocation.runtime
  const link = (await callServer(invocation, { method: 'POST', path: '/local/console-link' })) as ConsoleLink
  if (link.url === null) throw consoleUnavailable({})
  await terminal.out.write(`${link.url}\n`)
  if (link.is_one_time) await terminal.err.write('drover: the link logs you in once, within 5 minutes\n')
  return 0
}
