import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../../test/support/run-drover.ts'
import { assessSpaces, checkSpace, type Space } from './space.ts'

const MIB = 1024 * 1024
const place = (over: Partial<Space>): Space => ({
  path: '/home/me',
  device: 1,
  freeBytes: 2048 * MIB,
  freeFiles: 9,
  ...over,
})
const codes = (places: readonly Space[]) => assessSpaces(places).map(({ kind }) => kind.code)

describe('assessSpaces', () => {
  it.each<[string, Partial<Space>, string[]]>([
    ['enough', { freeBytes: 1024 * MIB }, []],
    ['one byte less', { freeBytes: 1024 * MIB - 1 }, ['disk_low']],
    ['little', { freeBytes: 64 * MIB }, ['disk_low']],
    ['next to nothing', { freeBytes: 64 * MIB - 1 }, ['disk_full']],
    ['no inode', { freeFiles: 0 }, ['disk_full']],
    ['no limit of files', { freeFiles: undefined }, []],
  ])('judges a disk with %s', (_name, over, expected) => {
    expect(codes([place(over)])).toEqual(expected)
  })

  it('reports each disk once, by its first directory', () => {
    const low = { freeBytes: 65 * MIB }
    const found = assessSpaces([
      place(low),
      place({ ...low, path: '/tmp' }),
      place({ ...low, path: '/mnt', device: 2 }),
    ])
    expect(found.map(({ detail }) => detail)).toEqual([
      '65 MiB are free on the disk of /home/me',
      '65 MiB are free on the disk of /mnt',
    ])
  })
})

describe('checkSpace', () => {
  const check = (DROVER_HOME: string) => {
    const configEnvironment = { env: { DROVER_HOME }, homeDirectory: '/', cwd: '/', configFlag: undefined }
    return checkSpace({ configEnvironment }).map(({ kind, detail }) => [kind.code, detail])[0]
  }

  it('finds a home that is writable or can be created', () => {
    const directory = temporaryDirectory()
    expect(check(directory)).toEqual(['home_writable', `${directory} is writable`])
    expect(check(join(directory, 'a', 'b'))).toEqual(['home_writable', `${directory}/a/b does not exist yet`])
  })

  it('finds a home that cannot be created', () => {
    const file = join(temporaryDirectory(), 'file')
    writeFileSync(file, '')
    expect(check(join(file, 'home'))).toEqual(['home_unwritable', `${file} is not a directory`])
    expect(check(file)).toEqual(['home_unwritable', `${file} is not a directory`])
  })
})
