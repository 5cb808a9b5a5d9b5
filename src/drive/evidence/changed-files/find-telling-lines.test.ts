import { describe, expect, it } from 'vitest'
import { findTellingLines } from './find-telling-lines.ts'

const ROOT = '/home/ada/.drover/worktrees/wind-1/weather'
const find = (path: string, after: string, before?: string) =>
  findTellingLines({ path, before, after }, ROOT).map(({ line, what }) => `${line} ${what}`)

const DROVER = 'it reads a variable that only drover sets'
const TYPES = 'it turns off the type checker for the file'
const LINTER = 'it turns off the linter for the file'

describe('a new line tells', () => {
  it.each([
    ['a variable of drover', 'wind.sh', 'test -n "$DROVER_WORKTREE"', DROVER],
    ['a variable of drover, in another language', 'wind.js', 'if (process.env.DROVER_PORT) return', DROVER],
    ['the worktree', 'wind.sh', `cat ${ROOT}/wind.txt`, 'it names the worktree of the run, which is removed'],
    ['that types are not checked', 'wind.ts', '// @ts-nocheck', TYPES],
    ['that types are not checked, in Python', 'wind.py', '# mypy: ignore-errors', TYPES],
    ['that nothing is linted', 'wind.js', '/* eslint-disable */', 'it turns off the linter'],
    ['that nothing is linted, by biome', 'wind.js', '// biome-ignore-all lint: x', LINTER],
    ['that nothing is linted, in Python', 'wind.py', '# flake8: noqa', LINTER],
    ['that nothing is linted, in Rust', 'wind.rs', '#![allow(warnings)]', LINTER],
  ])('%s', (_, path, text, what) => {
    expect(find(path, `one\n${text}\n`)).toEqual([`2 ${what}`])
    expect(find(path, `one\n${text}\n`, `${text}\n`)).toEqual([])
  })

  it.each([
    ['an exception for one line', 'wind.js', '// eslint-disable-next-line no-console'],
    ['an exception for one line, in a block', 'wind.js', 'x() /* eslint-disable-line no-console */'],
    ['prose', 'docs/wind.md', 'Set DROVER_PORT.'],
    ['another name', 'wind.sh', 'echo "$MY_DROVER" drover_port'],
  ])('nothing in %s', (_, path, text) => {
    expect(find(path, text)).toEqual([])
  })

  it('at most three times in a file', () => {
    expect(find('wind.sh', 'a $DROVER_PORT\n'.repeat(3)).length).toBe(3)
    expect(find('wind.sh', 'a $DROVER_PORT\n'.repeat(4)).length).toBe(3)
  })
})
