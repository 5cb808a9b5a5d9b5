/** A moment at which a process is killed, as test/programs/kill-at.ts reads it. */
export type KillPoint = {
  victim: 'driver' | 'agent' | 'both'
  /** The moment is when this record of this file is on disk, or some time later. */
  file: 'drive.jsonl' | 'journal.jsonl'
  record: number
  /** Instead: a server has got a run, or has written it to its list. */
  handOver?: 'asked' | 'listed'
  afterMs?: number
  /** Instead: each record, once. The file has those after which a process was killed. */
  each?: string
  /** Gets how many agents were killed. Absent afterwards: the moment never came. */
  reportTo: string
}
