/** Apart from the other tests of commands, which are run again for every change by `npm run mutate`. */
import { describe, expect, it } from 'vitest'
import { findRun, readCommandLine } from './find-command-run.ts'

const read = (line: string) => readCommandLine(line, '/work')

describe('a line', () => {
  it.each([
    ['of a long word', `echo ${'a'.repeat(1_000_000)}`],
    ['of many marks', '$'.repeat(100_000)],
    ['of many blanks', `npm test${' '.repeat(1_000_000)}x`],
  ])('%s is read in a time that grows with its length', (_name, line) => {
    expect(findRun(read('npm test'), read(line), 0)).toBeUndefined()
  })
})
