/** Lies and accidents in driven runs, each with the exit code, the word and the flag that it must end with. */
import { ACCIDENTS } from './lies/accidents.ts'
import { CLAIMS } from './lies/claims.ts'
import { CONFIGURATION } from './lies/configuration.ts'
import { HIDDEN_FILES } from './lies/hidden-files.ts'
import type { Lie } from './lies/lie.ts'
import { REPOSITORY } from './lies/repository.ts'
import { WEAK_TESTS } from './lies/weak-tests.ts'

export const LIES: readonly Lie[] = [
  ...CLAIMS,
  ...WEAK_TESTS,
  ...CONFIGURATION,
  ...HIDDEN_FILES,
  ...REPOSITORY,
  ...ACCIDENTS,
]
