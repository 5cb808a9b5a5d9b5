import { hostname } from 'node:os'
import { brokenTextRules } from '../../config/setting-rules.ts'
import { copyStore } from '../../store/copy-store.ts'
import type { RunCommand } from '../command.ts'
import { argumentInvalid } from '../faults.ts'
import { openCommandStores } from '../open/open-command-stores.ts'
import { findUserPaths, readSettings } from '../settings.ts'
import { refusePassword } from './refuse-password.ts'

const SQLITE = 'sqlite:'

export const run: RunCommand = async (invocation) => {
  const { args, flags, runtime } = invocation
  const [from = '', to = ''] = args
  if (from !== SQLITE) throw argumentInvalid({ name: 'from', given: from, allowed: [SQLITE], nearest: undefined })
  if (to === SQLITE || brokenTextRules([['store.url', to]]).length > 0) {
    const allowed = ['postgres://USER@HOST:PORT/DATABASE']
    throw argumentInvalid({ name: 'to', given: to.replace(/:[^:@/]*@/, ':********@'), allowed, nearest: undefined })
  }
  refusePassword('to', to)
  const { config } = await readSettings(invocation, [{ key: 'store.url', flag: 'from', value: SQLITE }])
  // Ends what a killed process left running.
  await (await openCommandStores(invocation, config)).sessions.close()
  const path = findUserPaths(invocation).sessions
  const copied = await copyStore({ path, url: to, machine: config.store.machine || hostname() })
  const { sessions, executions, execution_events: events } = copied
  const text = `copied ${sessions} sessions and ${executions} executions with ${events} events\n`
  await runtime.terminal.out.write(flags.isOn('json') ? `${JSON.stringify(copied)}\n` : text)
  return 0
}
