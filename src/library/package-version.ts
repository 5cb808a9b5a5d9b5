import { readFileSync } from 'node:fs'
import { besidePackage } from './instance.ts'

export function packageVersion(): string {
  return JSON.parse(readFileSync(besidePackage('package.json'), 'utf8')).version
}
