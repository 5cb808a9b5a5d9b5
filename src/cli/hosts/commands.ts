/** The commands on hosts: coding agents that drover installs its capabilities into. */
import { HOST_IDS } from '../../hosts/host.ts'
import { commandsIn, type Flag, flag, type Positional, withAlias } from '../command.ts'
import { JSON_FLAG, ROOT } from '../words/shared-flags.ts'

const TOOL: Flag = flag('--tool HOST', 'A host, a comma-separated list of hosts, or all', {
  repeats: true,
  mayBeEmpty: true,
})

const HOST: Positional = {
  name: 'host',
  description: `One of ${HOST_IDS.join(', ')}, or all; the same as --tool`,
  isOptional: true,
  repeats: true,
  suggests: [...HOST_IDS, 'all'],
}

const ALL: Flag = flag('--all', 'Every host; the same as --tool all')

const DRY_RUN: Flag = flag('--dry-run', 'Print what would be changed and why, without changing anything')

const REPORT: Flag = { ...JSON_FLAG, description: 'Print JSON (a changeReport; see docs/machine-protocol.md)' }

const COMMANDS_OF_HOSTS = commandsIn({ group: 'Hosts' }, [
  {
    words: ['hosts', 'install'],
    otherNames: ['add'],
    summary: "Install drover into a repository's hosts",
    description: `Hosts are coding agents, such as Claude Code, that can drive runs themselves once drover is installed into them. Without a host,
installs into the hosts that the repository uses. Either all files are written or none. Files that drover does not own are never changed.
A host that already has drover is left unchanged unless --refresh is given.`,
    positionals: [HOST],
    flags: [
      TOOL,
      ALL,
      flag('--surface ide|cli', 'How kiro is used; required for its first install', { mayBeEmpty: true }),
      flag('--refresh', 'Update what is installed'),
      DRY_RUN,
      ROOT,
      REPORT,
    ],
    examples: {
      'drover hosts install': 'into the hosts that this repository uses',
      'drover hosts install claude codex': 'into two hosts',
      'drover hosts install kiro --surface cli': 'choose between the IDE and the CLI of kiro',
      'drover hosts install --refresh --dry-run': 'show what an update would change',
    },
    load: async () => ({ run: (await import('./hosts-command.ts')).install }),
  },
  {
    words: ['hosts', 'uninstall'],
    otherNames: ['rm', 'remove'],
    summary: "Remove drover from a repository's hosts",
    description: 'Without a host, removes drover from every host that has it. Files that you edited are kept.',
    positionals: [HOST],
    flags: [TOOL, ALL, DRY_RUN, ROOT, REPORT],
    examples: {
      'drover hosts uninstall': 'from every host',
      'drover hosts uninstall claude': 'from one host',
      'drover hosts uninstall --dry-run': 'show what would be removed and what would be kept',
    },
    load: async () => ({ run: (await import('./hosts-command.ts')).uninstall }),
  },
  {
    words: ['hosts', 'list'],
    isDefault: true,
    otherNames: ['ls'],
    summary: 'List the hosts and what is installed in them',
    description: "A host's problems are shown below its row. This command changes nothing.",
    flags: [ROOT, { ...JSON_FLAG, description: 'Print JSON (a listReport; see docs/machine-protocol.md)' }],
    examples: {
      'drover hosts list': 'for people',
      'drover hosts list --json': 'for scripts',
    },
    load: () => import('./hosts-command.ts'),
  },
])

/** The machine protocol names them without "hosts". */
export const HOST_COMMANDS = COMMANDS_OF_HOSTS.flatMap((command) => withAlias(command, [command.words.at(-1) ?? '']))
