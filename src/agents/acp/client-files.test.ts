import { mkdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import type { Permission } from '../adapter/permission.ts'
import { readTextFile, writeTextFile } from './client-files.ts'

/** A working directory beside another one, and what an agent with a permission does there. */
function createPlace(permission: Permission | undefined = 'edit') {
  const root = realpathSync(temporaryDirectory())
  const [workdir, outside] = [join(root, 'work'), join(root, 'outside')]
  for (const directory of [workdir, outside]) mkdirSync(directory)
  const policy = { workdir, permission }
  return {
    workdir,
    outside,
    read: (path: string, lines: object = {}) => readTextFile({ path, ...lines }, policy),
    write: (path: string, content: unknown = 'new') => writeTextFile({ path, content }, policy),
  }
}

describe('a file that an agent writes through drover', () => {
  it.each<[Permission | undefined, boolean]>([
    ['read-only', false],
    ['ask', false],
    ['edit', true],
    ['everything', true],
    [undefined, true],
  ])('is written with the permission %s: %s', async (permission, isWritten) => {
    const { workdir, write } = createPlace(permission)
    const path = join(workdir, 'deep', 'down', 'a.txt')
    if (!isWritten) return await expect(write(path)).rejects.toThrow('writing files is not allowed')
    expect(await write(path)).toEqual({})
    expect(readFileSync(path, 'utf8')).toBe('new')
    expect(statSync(path).mode & 0o777).toBe(0o644)
  })

  it('keeps its mode', async () => {
    const { workdir, write } = createPlace()
    const path = join(workdir, 'run.sh')
    writeFileSync(path, 'old', { mode: 0o750 })
    await write(path)
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['new', 0o750])
  })

  it('is outside of the working directory only if everything is allowed', async () => {
    const confined = createPlace()
    await expect(confined.write(join(confined.outside, 'a'))).rejects.toThrow('is not in the working directory')
    const free = createPlace('everything')
    await free.write(join(free.outside, 'a'))
    expect(readFileSync(join(free.outside, 'a'), 'utf8')).toBe('new')
  })

  it('is in an additional directory too', async () => {
    const { workdir, outside } = createPlace()
    const more = { workdir, permission: 'edit' as const, additionalDirectories: [outside] }
    await writeTextFile({ path: join(outside, 'a'), content: 'new' }, more)
    expect(await readTextFile({ path: join(outside, 'a') }, more)).toEqual({ content: 'new' })
    symlinkSync('/etc', join(outside, 'link'))
    await expect(readTextFile({ path: join(outside, 'link', 'hosts') }, more)).rejects.toThrow(
      'is not in the working directory or an additional one',
    )
  })

  it('is one of git only if everything is allowed', async () => {
    const confined = createPlace()
    await expect(confined.write(join(confined.workdir, '.git', 'config'))).rejects.toThrow('belongs to git')
    const free = createPlace('everything')
    expect(await free.write(join(free.workdir, '.git', 'config'))).toEqual({})
  })

  it('is not reached through a link that leads out', async () => {
    const { workdir, outside, write } = createPlace()
    symlinkSync(outside, join(workdir, 'link'))
    await expect(write(join(workdir, 'link', 'a'))).rejects.toThrow('is not in the working directory')
    await expect(write(join(workdir, 'link', 'deep', 'a'))).rejects.toThrow('is not in the working directory')
  })

  it('is not made of a link to nothing', async () => {
    const { workdir, outside, write } = createPlace()
    symlinkSync(join(outside, 'none'), join(workdir, 'link'))
    await expect(write(join(workdir, 'link'))).rejects.toThrow(`${join(workdir, 'link')} is a link to nothing`)
    await expect(write(join(workdir, 'link', 'a'))).rejects.toThrow(`${join(workdir, 'link')} is a link to nothing`)
  })

  it('follows a link within the working directory', async () => {
    const { workdir, write } = createPlace()
    writeFileSync(join(workdir, 'real'), 'old')
    symlinkSync(join(workdir, 'real'), join(workdir, 'link'))
    await write(join(workdir, 'link'))
    expect(readFileSync(join(workdir, 'real'), 'utf8')).toBe('new')
  })

  it('needs an absolute path, below directories, and a text', async () => {
    const { workdir, write } = createPlace()
    await expect(write('a.txt')).rejects.toThrow('the path must be absolute')
    await expect(writeTextFile({ content: '' }, { workdir, permission: 'edit' })).rejects.toThrow('must be absolute')
    await expect(write(join(workdir, 'a'), 7)).rejects.toThrow('content must be text')
    writeFileSync(join(workdir, 'file'), '')
    await expect(write(join(workdir, 'file', 'a'))).rejects.toThrow('ENOTDIR')
    symlinkSync('circle', join(workdir, 'circle'))
    await expect(write(join(workdir, 'circle'))).rejects.toThrow('ELOOP')
  })
})

describe('a file that an agent reads through drover', () => {
  it.each<[object, string]>([
    [{}, '1\n2\n3\n'],
    [{ line: 1 }, '1\n2\n3\n'],
    [{ line: 2 }, '2\n3\n'],
    [{ line: 0, limit: 1 }, '1'],
    [{ limit: 2 }, '1\n2'],
    [{ line: 2, limit: 1 }, '2'],
    [{ line: 9, limit: 1 }, ''],
  ])('has the lines %j', async (lines, content) => {
    const { workdir, read } = createPlace('read-only')
    writeFileSync(join(workdir, 'a'), '1\n2\n3\n')
    expect(await read(join(workdir, 'a'), lines)).toEqual({ content })
  })

  it('is in the working directory, also behind a link, unless everything is allowed', async () => {
    const { workdir, outside, read } = createPlace('read-only')
    writeFileSync(join(outside, 'secret'), 'x')
    symlinkSync(join(outside, 'secret'), join(workdir, 'link'))
    for (const path of [join(outside, 'secret'), join(workdir, 'link')]) {
      await expect(read(path)).rejects.toThrow('is not in the working directory')
    }
    const free = createPlace('everything')
    writeFileSync(join(free.outside, 'a'), 'x')
    expect(await free.read(join(free.outside, 'a'))).toEqual({ content: 'x' })
  })

  it('is at most 10 MiB long', async () => {
    const { workdir, read } = createPlace()
    const limit = 10 * 1024 * 1024
    writeFileSync(join(workdir, 'most'), 'x'.repeat(limit))
    writeFileSync(join(workdir, 'more'), 'x'.repeat(limit + 1))
    expect(((await read(join(workdir, 'most'))) as { content: string }).content.length).toBe(limit)
    await expect(read(join(workdir, 'more'))).rejects.toThrow()
  })
})
