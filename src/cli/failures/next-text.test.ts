import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { EXAMPLES } from '../../../scripts/protocol-examples.ts'
import { makeVariant } from '../../contract/next-variants.ts'
import { countColumns } from '../output/printable.ts'
import { formatNextBlock } from './next-text.ts'

const RUN = '6f1c2c6e-3b1b-4f39-9b0a-2f4f5a0d9a11'
const ACTION = '0b9d1c7a-55f0-4f0e-8a1c-6a2d1f3e4b5c'

const blockFor = (root: string, columns?: number) =>
  formatNextBlock(
    {
      operation: 'action',
      workspace_identity: EXAMPLES.protocolState.next.workspace_identity,
      variants: [makeVariant('submit-outcome-file', { RUN, ACTION, ROOT: root })],
    },
    columns === undefined ? {} : { columns },
  )

/** The arguments that a shell passes to drover. */
function wordsIn(lines: readonly string[]): string[] {
  const script = `drover() { printf '%s\\0' "$@"; }\n${lines.join('\n')}\n`
  return spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout.split('\0').slice(0, -1)
}

describe('the commands of next', () => {
  it('are on one line each', () => {
    expect(blockFor('/srv/weather')).toEqual([
      'Next:',
      '  submit-outcome-file',
      `    drover protocol submit --run ${RUN} --action ${ACTION} --root /srv/weather --outcome-file OUTCOME_FILE`,
    ])
  })

  it('are wrapped between words, and a flag stays with its value', () => {
    expect(blockFor('/srv/weather', 79)).toEqual([
      'Next:',
      '  submit-outcome-file',
      `    drover protocol submit --run ${RUN} \\`,
      `      --action ${ACTION} --root /srv/weather \\`,
      '      --outcome-file OUTCOME_FILE',
    ])
  })

  it.each([
    ['a short path', '/srv/weather', 79],
    ['a path wider than a line', `/srv/${'deep/'.repeat(30)}weather`, 79],
    ['a path with spaces', '/srv/my weather', 60],
    ['a path with spaces, wider than a line', `/srv/${'so deep/'.repeat(30)}weather`, 60],
    ['a path of wide characters', `/srv/${'風'.repeat(60)}`, 60],
  ])('have the same words in a shell when they are wrapped: %s', (_name, root, columns) => {
    const [, , ...lines] = blockFor(root, columns)
    expect(Math.max(...lines.map(countColumns))).toBeLessThanOrEqual(columns)
    expect(wordsIn(lines)).toEqual([
      ...['protocol', 'submit', '--run', RUN, '--action', ACTION, '--root', root],
      ...['--outcome-file', 'OUTCOME_FILE'],
    ])
  })
})
