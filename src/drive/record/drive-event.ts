import { checker } from '../../kit/schema.ts'
import { validateDriveEvent } from './checks.generated.js'
import type { DriveEvent } from './drive-event.shape.ts'

/** Every event that is written to or read from `drive.jsonl` is checked with this. */
export const checkDriveEvent = checker<DriveEvent>('driveEvent', validateDriveEvent)

export type EventOf<T extends DriveEvent['type']> = Extract<DriveEvent, { type: T }>
