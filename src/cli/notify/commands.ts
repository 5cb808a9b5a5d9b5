import { commandsIn } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

export const NOTIFY_COMMANDS = commandsIn({ group: 'Server' }, [
  {
    words: ['notify', 'list'],
    otherNames: ['targets'],
    summary: 'List the targets of notifications, and what waits for them',
    description: `Shows each target of notify.targets with its type and filters, how many notifications wait until they can be delivered, and
how many were given up in the last seven days.`,
    flags: [JSON_FLAG],
    examples: { 'drover notify list': 'all targets' },
    load: () => import('./targets.ts').then(({ list: run }) => ({ run })),
  },
  {
    words: ['notify', 'test'],
    otherNames: ['try'],
    summary: 'Send a test notification to a target',
    description: `Sends one notification at once, and says whether the target accepted it. It is not tried again.`,
    positionals: [{ name: 'target', description: 'Name of a target in notify.targets' }],
    examples: { 'drover notify test phone': 'a notification to the target "phone"' },
    load: () => import('./targets.ts').then(({ test: run }) => ({ run })),
  },
])
