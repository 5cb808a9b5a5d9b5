import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')

/** The npm that runs the tests, on its own Node: on another it would not find the machine's settings. */
const { npm_execpath: script, npm_node_execpath: node } = process.env
export const NPM: readonly string[] = script?.endsWith('.js') && node !== undefined ? [node, script] : ['npm']

/** npm needs the user's home for its cache, and the certificates of the machine, if it has its own. */
export const NPM_ENVIRONMENT = {
  HOME: process.env['HOME'] ?? '',
  ...(process.env['NODE_EXTRA_CA_CERTS'] && { NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'] }),
}

/** Build results, and what belongs to git. */
const EXCLUDED = ['.git', 'node_modules', 'dist', 'coverage', '.gate', '.vitest', '.build']

/** Copies the clone, so that a test can build and pack it without disturbing others. */
export function copyClone(target: string): void {
  for (const name of readdirSync(ROOT).filter((each) => !EXCLUDED.includes(each))) {
    cpSync(join(ROOT, name), join(target, name), { recursive: true })
  }
}

/** Links the installed dependencies into a copy. */
export function linkDependencies(target: string): void {
  symlinkSync(join(ROOT, 'node_modules'), join(target, 'node_modules'))
}

/** Links only the production dependencies into a package. */
export function linkProductionDependencies(target: string): void {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  for (const [path, { dev, optional }] of Object.entries<{ dev?: true; optional?: true }>(packages)) {
    const isInside = path.lastIndexOf('node_modules/') > 0
    if (!path.startsWith('node_modules/') || isInside || dev || optional || !existsSync(join(ROOT, path))) continue
    mkdirSync(dirname(join(target, path)), { recursive: true })
    symlinkSync(join(ROOT, path), join(target, path))
  }
}
