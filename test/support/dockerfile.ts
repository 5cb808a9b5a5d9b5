/** Reads a Dockerfile and runs its steps in directories in place of the file systems of its stages. */
import { cpSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { type Ran, runAt } from './run-drover.ts'

type Instruction = { keyword: string; flags: Readonly<Record<string, string>>; rest: string }
export type Stage = { name: string; image: string; steps: readonly Instruction[] }
export type Dockerfile = { args: Readonly<Record<string, string>>; stages: readonly Stage[] }

export function readDockerfile(text: string): Dockerfile {
  const args: Record<string, string> = {}
  const stages: { name: string; image: string; steps: Instruction[] }[] = []
  for (const instruction of instructionsOf(text)) {
    const stage = stages.at(-1)
    const [first = '', , name] = instruction.rest.split(/\s+/)
    if (instruction.keyword === 'FROM') {
      stages.push({ name: name ?? '', image: first.replace(/\$\{(\w+)\}/g, (_, arg) => args[arg] ?? ''), steps: [] })
    } else if (stage === undefined) Object.assign(args, assignments(instruction.rest))
    else stage.steps.push(instruction)
  }
  return { args, stages }
}

function instructionsOf(text: string): Instruction[] {
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line))
  const joined = lines.join('\n').replace(/\\\n\s*/g, '')
  return joined.split('\n').map((line) => {
    const [, keyword = '', flags = '', rest = ''] = /^([A-Z]+)((?: --[a-z-]+=\S+)*) (.*)$/.exec(line) ?? []
    return { keyword, flags: assignments(flags), rest }
  })
}

/** `A=b C="d e"`, and flags, without the hyphens before them. */
export function assignments(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/(\w[\w-]*)=(?:"([^"]*)"|(\S*))/g)].map(([, name, quoted, bare]) => [name, quoted ?? bare ?? '']),
  )
}

/** Whether a file is sent to the builder: the last matching pattern of .dockerignore decides. */
export function isSent(path: string, patterns: readonly string[]): boolean {
  const deciding = patterns.findLast((pattern) => toExpression(pattern.replace(/^!/, '')).test(path))
  return deciding === undefined || deciding.startsWith('!')
}

/** A pattern matches a path and everything below. */
function toExpression(pattern: string): RegExp {
  const parts = pattern.split(/(\*\*\/|\*)/).map((part) => {
    if (part === '**/') return '(?:.*/)?'
    return part === '*' ? '[^/]*' : part.replaceAll('.', '\\.')
  })
  return new RegExp(`^${parts.join('')}(?:/|$)`)
}

export function copySent(from: string, to: string, patterns: readonly string[]): void {
  const names = readdirSync(from).filter((name) => name !== '.git' && name !== 'node_modules')
  for (const path of names.flatMap((name) => filesUnder(from, name)).filter((each) => isSent(each, patterns))) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    cpSync(join(from, path), join(to, path))
  }
}

function filesUnder(root: string, path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  return readdirSync(join(root, path)).flatMap((name) => filesUnder(root, `${path}/${name}`))
}

export type Built = { root: string; skipped: string[]; failed: { step: string; ran: Ran }[] }

export type Builder = {
  context: string
  /** The directory for the file systems of the stages. */
  directory: string
  env: Record<string, string>
  /** Whether a command works only inside a container. */
  needsContainer: (command: string) => boolean
  /** Does what a command would do, without running it; false: it has to run. */
  shortcut: (command: string, workdir: string) => boolean
}

/** Runs the steps of a stage that change its file system. */
export async function buildStage({ name, steps }: Stage, builder: Builder): Promise<Built> {
  const built: Built = { root: join(builder.directory, name || 'final'), skipped: [], failed: [] }
  let workdir = built.root
  for (const step of steps) {
    if (step.keyword === 'WORKDIR') workdir = join(built.root, step.rest)
    mkdirSync(workdir, { recursive: true })
    if (step.keyword === 'COPY') copyInto(workdir, step, builder)
    if (step.keyword === 'RUN') await runStep(step.rest, { workdir, built, builder })
  }
  return built
}

type StepContext = { workdir: string; built: Built; builder: Builder }

async function runStep(step: string, { workdir, built, builder }: StepContext): Promise<void> {
  if (builder.needsContainer(step)) {
    built.skipped.push(step)
    return
  }
  if (builder.shortcut(step, workdir)) return
  const ran = await runAt(workdir, ['/bin/sh', '-euc', movedInto(built.root, step)], builder.env)
  if (ran.code !== 0) built.failed.push({ step, ran })
}

function copyInto(workdir: string, { rest, flags }: Instruction, { context, directory }: Builder): void {
  const words = rest.split(' ')
  const target = words.at(-1) ?? ''
  const from = flags['from'] === undefined ? context : directory
  for (const source of words.slice(0, -1)) {
    const path = join(from, flags['from'] ?? '', source)
    const destination = target.endsWith('/') ? join(target, basename(source)) : target
    cpSync(path, join(workdir, destination), { recursive: true, verbatimSymlinks: true })
  }
}

/** Moves the absolute paths of a command below `root`, and creates their directories as an image has them. */
function movedInto(root: string, command: string): string {
  return command
    .split(' ')
    .map((word) => {
      if (!isAbsolute(word)) return word
      mkdirSync(dirname(join(root, word)), { recursive: true })
      return join(root, word)
    })
    .join(' ')
}
