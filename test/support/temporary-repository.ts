/** Real repositories that are gone when the test is over. */
import { realpathSync } from 'node:fs'
import { createRepositoryAt, type Repository } from './git-repository.ts'
import { temporaryDirectory } from './run-drover.ts'

export function createRepository({ at, init = [] }: { at?: string; init?: readonly string[] } = {}): Repository {
  return createRepositoryAt(at ?? realpathSync(temporaryDirectory()), init)
}
