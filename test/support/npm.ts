import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')

/** The npm that runs the tests, on its own Node: on another it would not find the machine's settings. */
const { npm_execpath: script, npm_node_execpath: node } = process.env
export const NPM: readonly string[] = script?.endsWith('.js') && node !== undefined ? [node, script] : ['npm']

/** npm looks for its cache in the home of the user. */
export const NPM_ENVIRONMENT = { HOME: process.env['HOME'] ?? '' }

/** What is made of the sources, or belongs to git. */
const LEFT_OUT = ['.git', 'node_modules', 'dist', 'coverage', '.gate', '.vitest']

/** Copies the clone, so that it can be built and packed there while others work in it. */
export function copyClone(target: string): void {
  for (const name of readdirSync(ROOT).filter((each) => !LEFT_OUT.includes(each))) {
    cpSync(join(ROOT, name), join(target, name), { recursive: true })
  }
}

/** Lends a copy the dependencies that are installed here. */
export function lendDependencies(target: string): void {
  symlinkSync(join(ROOT, 'node_modules'), join(target, 'node_modules'))
}

/** Lends a package those that it names as its own, and those that they need: what only developers need is not there. */
export function lendProductionDependencies(target: string): void {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  for (const [path, { dev, optional }] of Object.entries<{ dev?: true; optional?: true }>(packages)) {
    const isInside = path.lastIndexOf('node_modules/') > 0
    if (!path.startsWith('node_modules/') || isInside || dev || optional || !existsSync(join(ROOT, path))) continue
    mkdirSync(dirname(join(target, path)), { recursive: true })
    symlinkSync(join(ROOT, path), join(target, path))
  }
}
