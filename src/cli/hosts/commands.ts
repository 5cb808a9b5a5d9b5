/** The commands on hosts: the programs for coding agents that drover puts its capabilities into. */
import { HOST_IDS } from '../../hosts/host.ts'
import type { Command, Flag, Positional } from '../command.ts'
import { JSON_FLAG, ROOT } from '../words/shared-flags.ts'

const TOOL: Flag = {
  name: 'tool',
  value: 'HOST',
  description: 'A host, several between commas, or all',
  repeats: true,
  mayBeEmpty: true,
}

const HOST: Positional = {
  name: 'host',
  description: `One of ${HOST_IDS.join(', ')}, or all; the same as --tool`,
  isOptional: true,
  repeats: true,
  suggests: [...HOST_IDS, 'all'],
}

const ALL: Flag = { name: 'all', description: 'Every host; the same as --tool all' }

const DRY_RUN: Flag = { name: 'dry-run', description: 'Say what would be done, and why, and change nothing' }

const REPORT: Flag = { ...JSON_FLAG, description: 'Print a changeReport' }

export const HOST_COMMANDS: readonly Command[] = [
  {
    words: ['install'],
    group: 'Hosts',
    summary: 'Put the capabilities of drover into the hosts of a repository',
    description: `Without a host: into those that the repository shows signs of. Only files that drover generates are written, all of
them or none. What is there and not drover's own is left as it is, and so is a host that drover is installed into,
unless --refresh is given.`,
    positionals: [HOST],
    flags: [
      TOOL,
      ALL,
      {
        name: 'surface',
        value: 'ide|cli',
        description: 'How kiro is called; needed for its first install',
        mayBeEmpty: true,
      },
      { name: 'refresh', description: 'Bring what is installed up to date' },
      DRY_RUN,
      ROOT,
      REPORT,
    ],
    examples: [
      { line: 'drover install', description: 'into the hosts that are used here' },
      { line: 'drover install claude codex', description: 'into these' },
      { line: 'drover install kiro --surface cli', description: 'kiro has two ways to be called' },
      { line: 'drover install --refresh --dry-run', description: 'what an update would change' },
    ],
    load: () => import('./install.ts'),
  },
  {
    words: ['uninstall'],
    group: 'Hosts',
    summary: 'Take the capabilities of drover out of the hosts of a repository',
    description: `Without a host: out of all that it is installed into. Files that were edited since are left as they are.`,
    positionals: [HOST],
    flags: [TOOL, ALL, DRY_RUN, ROOT, REPORT],
    examples: [
      { line: 'drover uninstall', description: 'out of every host' },
      { line: 'drover uninstall claude', description: 'out of one' },
      { line: 'drover uninstall --dry-run', description: 'what would be removed and what would stay' },
    ],
    load: () => import('./uninstall.ts'),
  },
  {
    words: ['list'],
    group: 'Hosts',
    summary: 'List the hosts and what is installed into them',
    description: 'Changes nothing. Whatever is wrong with a host is said beside it.',
    positionals: [],
    flags: [ROOT, { ...JSON_FLAG, description: 'Print a listReport' }],
    examples: [
      { line: 'drover list', description: 'for people' },
      { line: 'drover list --json', description: 'for scripts' },
    ],
    load: () => import('./list.ts'),
  },
]
