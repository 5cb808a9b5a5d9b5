/** The commands on issues that a run can work from. */
import { commandsIn, flag, type Positional } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

const ENVELOPE: Positional = {
  name: 'file',
  description: 'An envelope printed by drover source fetch; - reads standard input',
}

export const SOURCE_COMMANDS = commandsIn({ group: 'Programs', failsAs: 'Changes' }, [
  {
    words: ['source', 'check'],
    summary: 'Check whether an issue can be pinned',
    description: `Reads the envelope as a run does: level marker, manifest, sections. Reports the first problem and where it is. The
result is printed to standard output. The exit code is 0 if the issue can be pinned and 3 if it cannot. If the input is
not an envelope, an error is printed instead, and the exit code is 2.`,
    positionals: [ENVELOPE],
    flags: [{ ...JSON_FLAG, description: 'Print the result as JSON, a sourceCandidate of the machine protocol' }],
    examples: {
      'drover source check envelope.json': 'a fetched issue',
      'drover source fetch https://github.com/o/r/issues/7 | drover source check -': 'the current version',
      'drover source check envelope.json --json': 'for scripts',
    },
    load: async () => ({ run: (await import('./source-command.ts')).check }),
  },
  {
    words: ['source', 'fetch'],
    summary: 'Fetch an issue and the comments in its manifest',
    description: `Reads the issue through the GitHub CLI gh, with its login, and changes nothing. Prints an envelope, the input of
drover run --source-file and drover source check.`,
    positionals: [{ name: 'issue-url', description: 'For example https://github.com/owner/repo/issues/7' }],
    flags: [flag('-o, --output FILE', 'Write to this file, readable only by you')],
    examples: {
      'drover source fetch https://github.com/o/r/issues/7 -o envelope.json': 'to a file',
      'drover source fetch https://github.com/o/r/issues/7 | drover source check -': 'and check it',
    },
    load: async () => ({ run: (await import('./source-command.ts')).fetchIssue }),
  },
  {
    words: ['source', 'digest'],
    summary: 'Print the digest of a comment for a manifest',
    description:
      'The file contains the whole comment, including its marker. Line endings do not affect the digest, but everything else does.',
    positionals: [{ name: 'file', description: 'The text of the comment; - reads standard input' }],
    examples: {
      'drover source digest outcome.md': 'a file',
      'drover source digest - < outcome.md': 'standard input',
    },
    load: async () => ({ run: (await import('./source-command.ts')).digest }),
  },
  {
    words: ['source', 'draft'],
    summary: 'Print a template for an issue that can be pinned',
    description: `Without --comment: templates of five comments, one per role, and instructions. With --comment: the body of the issue,
with a manifest of these comments in this order. The comments are read from GitHub through gh. The key of a section
starts with its role, and its first heading is its title.`,
    flags: [
      flag('--title TEXT', 'The title of the issue'),
      flag('--comment URL', 'The URL of a comment that is a section', { repeats: true }),
      flag('--amends DIGEST', 'The requirements revision that this version replaces'),
    ],
    examples: {
      'drover source draft --title "Show the wind in knots"': 'templates to fill in',
      'drover source draft --comment https://github.com/o/r/issues/7#issuecomment-1901':
        'the body; repeat --comment for every section',
    },
    load: async () => ({ run: (await import('./source-command.ts')).draft }),
  },
])
