/** Definitions of the `machines` commands. */
import { type Command, flag, type Positional } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

const NAME: Positional = { name: 'name', description: 'Name of the machine, as "drover machines" shows it' }

export const MACHINE_COMMANDS: readonly Command[] = [
  {
    words: ['machines', 'list'],
    group: 'Server',
    isDefault: true,
    otherNames: ['ls'],
    summary: 'List the machines whose workers share a PostgreSQL store',
    description: `The word "list" can be left out. A machine is listed once a worker has run there, until it is forgotten. Also shows prompts that wait for
a label that no worker has.`,
    positionals: [],
    flags: [JSON_FLAG],
    examples: { 'drover machines': 'what each machine runs, and which are gone' },
    load: async () => ({ run: (await import('./machines.ts')).list }),
  },
  {
    words: ['machines', 'drain'],
    group: 'Server',
    summary: 'Let the workers of a machine finish what they run, and end',
    description: `From now on the machine gets no prompts and no runs. When its prompts have ended, its workers end; a server there keeps serving. Driven runs
are interrupted then, and continue when a worker is started on the machine again, which also ends the draining.`,
    positionals: [NAME],
    flags: [flag('--wait', 'Return when its workers have ended'), JSON_FLAG],
    examples: { 'drover machines drain gpu-1 --wait': 'before you switch the machine off' },
    load: async () => ({ run: (await import('./machines.ts')).drain }),
  },
  {
    words: ['machines', 'forget'],
    group: 'Server',
    summary: 'Remove a machine that does not come back',
    description: `The machine is no longer listed. Turns that wait for it fail, and lists no longer show the copies of its driven runs. The runs are still in the
repositories of the machine. A machine with a running worker is refused.`,
    positionals: [NAME],
    flags: [JSON_FLAG],
    examples: { 'drover machines forget gpu-1': 'after the machine was removed' },
    load: async () => ({ run: (await import('./machines.ts')).forget }),
  },
]
