/** The queue of the user, as it is on disk. It can be read and changed without a server. */
import type { Config } from '../../config/config.shape.ts'
import { RunReader } from '../../drive/service/run-reader.ts'
import { locateGit } from '../../workspace/git.ts'
import type { Invocation } from '../command.ts'
import { findUserPaths } from '../settings.ts'

export type QueuePlaces = { reader: RunReader; directory: string; parallel: number }

export function openQueue(invocation: Invocation, config: Config): QueuePlaces {
  const { runtime } = invocation
  const { drivenRuns: directory } = findUserPaths(invocation)
  const reader = new RunReader({
    ...{ directory, git: locateGit(runtime), clock: runtime.clock, version: runtime.version() },
    isDrivenHere: () => false,
  })
  return { reader, directory, parallel: config.drive.parallel }
}
