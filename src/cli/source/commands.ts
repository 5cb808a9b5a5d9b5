/** The `source` commands: issues that a run can work from. */
import type { Command, Positional } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

const ENVELOPE: Positional = {
  name: 'file',
  description: 'An envelope as drover source fetch prints it; - reads standard input',
}

export const SOURCE_COMMANDS: readonly Command[] = [
  {
    words: ['source', 'check'],
    group: 'Changes',
    summary: 'Say whether an issue can be pinned, or what is wrong with it',
    description: `The envelope is read as a run would read it: level marker, manifest, sections. The first thing that is wrong is named
with its place. The verdict goes to standard output, whichever way it falls. The exit code is 0 for an issue that can be
pinned, 3 for one that cannot, and 2 for what is no envelope, where there is no verdict but an error.`,
    positionals: [ENVELOPE],
    flags: [{ ...JSON_FLAG, description: 'Print the verdict as JSON, a sourceCandidate of the machine protocol' }],
    examples: [
      { line: 'drover source check envelope.json', description: 'an issue that was fetched before' },
      {
        line: 'drover source fetch https://github.com/o/r/issues/7 | drover source check -',
        description: 'as it is now',
      },
      { line: 'drover source check envelope.json --json', description: 'for scripts' },
    ],
    load: () => import('./check.ts'),
  },
  {
    words: ['source', 'fetch'],
    group: 'Changes',
    summary: 'Fetch an issue with the comments that its manifest names',
    description: `The issue is read through the GitHub CLI gh, with its login, and nothing is changed. What is printed is an envelope:
a file for drover run --source-file and drover source check.`,
    positionals: [{ name: 'issue-url', description: 'Such as https://github.com/owner/repo/issues/7' }],
    flags: [
      { name: 'output', short: 'o', value: 'FILE', description: 'Write it to this file, which others cannot read' },
    ],
    examples: [
      { line: 'drover source fetch https://github.com/o/r/issues/7 -o envelope.json', description: 'to a file' },
      {
        line: 'drover source fetch https://github.com/o/r/issues/7 | drover source check -',
        description: 'and check it',
      },
    ],
    load: () => import('./fetch.ts'),
  },
  {
    words: ['source', 'digest'],
    group: 'Changes',
    summary: 'Print the digest of a comment, as a manifest needs it',
    description:
      'The file holds the whole comment, its marker included. Line ends do not matter, everything else does.',
    positionals: [{ name: 'file', description: 'The text of the comment; - reads standard input' }],
    flags: [],
    examples: [
      { line: 'drover source digest outcome.md', description: 'sha256: and 64 digits' },
      { line: 'drover source digest - < outcome.md', description: 'the same' },
    ],
    load: () => import('./digest.ts'),
  },
  {
    words: ['source', 'draft'],
    group: 'Changes',
    summary: 'Print what to write into an issue so that it can be pinned',
    description: `Without --comment: the texts of five comments to fill in, one for each role, and the steps to take with them.
With --comment: the body for the issue, with the manifest of these comments in this order. They are read from GitHub
through gh. The role of a section is what its key begins with, its title is its first heading.`,
    positionals: [],
    flags: [
      { name: 'title', value: 'TEXT', description: 'The title of the issue' },
      { name: 'comment', value: 'URL', description: 'A comment that is a section', repeats: true },
      { name: 'amends', value: 'DIGEST', description: 'The requirements revision that this one replaces' },
    ],
    examples: [
      { line: 'drover source draft --title "Show the wind in knots"', description: 'what to fill in' },
      {
        line: 'drover source draft --comment https://github.com/o/r/issues/7#issuecomment-1901',
        description: 'the body; give all comments',
      },
    ],
    load: () => import('./draft.ts'),
  },
]
