import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The path of something that does not exist. */
export const NOWHERE = join(realpathSync(tmpdir()), `drover-nowhere-${randomUUID()}`)
