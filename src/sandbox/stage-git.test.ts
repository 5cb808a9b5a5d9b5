import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { stageGit } from './stage-git.ts'

type Content = { id: string; bytes: Buffer }

function object(type: string, text: string | Buffer): Content {
  const content = Buffer.concat([Buffer.from(`${type} ${text.length}\0`), Buffer.from(text)])
  return { id: createHash('sha1').update(content).digest('hex'), bytes: deflateSync(content) }
}

const BLOB = object('blob', 'good')
const TREE = object('tree', Buffer.concat([Buffer.from('100644 file\0'), Buffer.from(BLOB.id, 'hex')]))
const COMMITS = ['one', 'two'].map((text) => object('commit', `tree ${TREE.id}\n\n${text}\n`))
const [ONE, TWO] = COMMITS.map(({ id }) => `${id}\n`) as [string, string]

function writeObject(store: string, { id, bytes }: Content): void {
  mkdirSync(join(store, id.slice(0, 2)), { recursive: true })
  writeFileSync(join(store, id.slice(0, 2), id.slice(2)), bytes)
}
const BRANCH = 'refs/heads/drover/one'

/** A linked worktree on a branch, and what a command has of it. */
function stage() {
  return stageIn(newPlace())
}

function newPlace() {
  const common = join(temporaryDirectory(), '.git')
  const [directory, at] = [join(common, 'worktrees', 'one'), temporaryDirectory()]
  for (const folder of [join(directory, 'logs'), join(common, 'refs/heads/drover'), join(common, 'logs')])
    mkdirSync(folder, { recursive: true })
  const files = {
    HEAD: `ref: ${BRANCH}\n`,
    index: 'one',
    commondir: '../..\n',
    gitdir: '/x/.git\n',
    'logs/HEAD': 'log\n',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  writeFileSync(join(common, BRANCH), ONE)
  for (const each of COMMITS) writeObject(join(common, 'objects'), each)
  return { common, directory, at }
}

function stageIn({ common, directory, at }: ReturnType<typeof newPlace>) {
  const staged = stageGit({ directory, commonDirectory: common, branch: BRANCH }, at)
  return {
    ...staged,
    directory,
    inside: (name: string) => join(at, name),
    real: (name: string) => join(common, name),
    read: (name: string) => readFileSync(join(common, name), 'utf8'),
  }
}

describe('what a command has changed of its git directory', () => {
  it.each([
    ['index', 'two', 'two'],
    ['logs/HEAD', 'log\nmore\n', 'log\nmore\n'],
    ['HEAD', TWO, TWO],
    ['HEAD', 'ref: refs/heads/main\n', `ref: ${BRANCH}\n`],
    ['gitdir', '/elsewhere/.git\n', '/x/.git\n'],
    ['commondir', '/elsewhere\n', '../..\n'],
  ])('%s: %j becomes %j', (name, text, after) => {
    const { inside, takeBack, read } = stage()
    writeFileSync(inside(`git/${name}`), text)
    takeBack()
    expect(read(`worktrees/one/${name}`)).toBe(after)
  })

  it.each(['index.lock', 'locked', 'config.worktree'])('is not taken back: %s', (name) => {
    const { inside, takeBack, directory } = stage()
    writeFileSync(inside(`git/${name}`), 'x')
    takeBack()
    expect(existsSync(join(directory, name))).toBe(false)
  })

  it('is not taken back of submodules that were there before, if git would run what it names', () => {
    const place = newPlace()
    const { directory } = place
    mkdirSync(join(directory, 'modules/a/b'), { recursive: true })
    writeFileSync(join(directory, 'modules/a/b/HEAD'), ONE)
    const { inside, takeBack, read } = stageIn(place)
    const files = ['config', 'hooks/post-checkout', 'info/attributes', 'index']
    for (const file of ['a/b', 'new'].flatMap((name) =>
      ['HEAD', ...files].map((each) => `git/modules/${name}/${each}`),
    )) {
      mkdirSync(dirname(inside(file)), { recursive: true })
      writeFileSync(inside(file), 'x')
    }
    takeBack()
    const has = (name: string) => files.filter((each) => existsSync(join(directory, 'modules', name, each)))
    expect([has('a/b'), has('new')]).toEqual([['index'], files])
    expect(read('worktrees/one/modules/a/b/HEAD')).toBe('x')
  })

  it('is taken back if it is a new file or gone, but not through a link, nor if it has changed outside', () => {
    const { inside, takeBack, directory, read } = stage()
    writeFileSync(inside('git/MERGE_HEAD'), TWO)
    rmSync(inside('git/logs'), { recursive: true })
    symlinkSync(temporaryDirectory(), inside('git/logs'))
    writeFileSync(inside('git/index'), 'two')
    writeFileSync(join(directory, 'index'), 'three')
    takeBack()
    expect([read('worktrees/one/MERGE_HEAD'), read('worktrees/one/index')]).toEqual([TWO, 'three'])
    expect(existsSync(join(directory, 'logs', 'HEAD'))).toBe(false)
  })

  it('meets what has changed outside since, for a command that stays up', () => {
    const { inside, takeBack, bringIn, directory, read } = stage()
    writeFileSync(inside('git/index'), 'two')
    takeBack()
    writeFileSync(join(directory, 'index'), 'three')
    rmSync(join(directory, 'logs', 'HEAD'))
    const elsewhere = temporaryDirectory()
    rmSync(inside('git/logs'), { recursive: true })
    symlinkSync(elsewhere, inside('git/logs'))
    writeFileSync(join(elsewhere, 'HEAD'), 'mine')
    bringIn()
    expect(readFileSync(inside('git/index'), 'utf8')).toBe('three')
    expect(readFileSync(join(elsewhere, 'HEAD'), 'utf8')).toBe('mine')
    writeFileSync(inside('git/index'), 'four')
    takeBack()
    expect(read('worktrees/one/index')).toBe('four')
  })
})

describe('the branch of a command', () => {
  it.each([
    [TWO, TWO],
    ['ref: refs/heads/main\n', ONE],
    ['x'.repeat(100_000), ONE],
  ])('is taken back only if it is a commit', (text, after) => {
    const { inside, takeBack, read, real } = stage()
    writeFileSync(inside('refs/one'), text)
    writeFileSync(inside('refs/other'), TWO)
    writeFileSync(inside('log/one'), 'line\n')
    takeBack()
    expect(read(BRANCH)).toBe(after)
    expect(existsSync(real('refs/heads/drover/other'))).toBe(false)
    expect(read(`logs/${BRANCH}`)).toBe('line\n')
  })
})

describe('an object of a command', () => {
  const path = join('objects', BLOB.id.slice(0, 2), BLOB.id.slice(2))
  const damaged = { ...BLOB, bytes: object('blob', 'evil').bytes }

  it('is taken back if its content has its name', () => {
    const { inside, takeBack, real } = stage()
    writeObject(inside('objects'), BLOB)
    expect(takeBack()).toBeUndefined()
    expect([existsSync(real(path)), existsSync(inside(path))]).toEqual([true, false])
  })

  it.each([
    ['its content is another', damaged],
    ['it is not compressed', { ...BLOB, bytes: Buffer.from('blob 4\0good') }],
  ])('is not taken back, and nor is anything else: %s', (_, content) => {
    const { inside, takeBack, real, read } = stage()
    writeObject(inside('objects'), content)
    writeFileSync(inside('git/index'), 'two')
    writeFileSync(inside('refs/one'), TWO)
    expect(takeBack()).toContain(`${BLOB.id} is damaged, or larger than 1 GB`)
    expect([existsSync(real(path)), read('worktrees/one/index'), read(BRANCH)]).toEqual([false, 'one', ONE])
  })

  it('does not replace one that is there', () => {
    const { inside, takeBack, real } = stage()
    for (const place of [inside(path), real(path)]) mkdirSync(join(place, '..'), { recursive: true })
    writeFileSync(real(path), 'first')
    writeObject(inside('objects'), BLOB)
    takeBack()
    expect(readFileSync(real(path), 'utf8')).toBe('first')
  })
})
