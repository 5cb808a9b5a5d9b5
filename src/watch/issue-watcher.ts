/**
 * Takes the issues of a repository that have a label, or that a comment asks for, and queues a run for each. An issue is taken by
 * a comment, so that of many drovers exactly one works on it. Everything is written down before it is done: a watcher that was
 * killed finds what it has begun, and finishes it.
 */
import { issueEdited } from '../drive/faults.ts'
import type { DrivenRun } from '../drive/service/driven-run.shape.ts'
import { issueNotFound, providerForbidden } from '../forge/faults.ts'
import { type Forge, type ForgeComment, rightsIn } from '../forge/forge.ts'
import { Fault, type FaultKind, isFault } from '../kit/fault.ts'
import { randomIds } from '../kit/ids.ts'
import { composeComment } from './decide/comment-text.ts'
import {
  type AskedWork,
  claimsIn,
  decideClaim,
  decideMention,
  findSpent,
  type IssueClaim,
  judgeRequest,
  lastLabeled,
  mentionIn,
  whyNotWanted,
} from './decide/take-issue.ts'
import type { TakenIssue, WatchRecord } from './record/watch-record.shape.ts'
import { listTaken, removeTaken, saveTaken } from './record/watch-records.ts'
import { NEW_RUN, showLast, type WatchedRuns } from './watched-runs.ts'
import type { LookResult, Watch } from './watcher.ts'

export type IssueWatchOptions = {
  /** Each one remembers what it has read. */
  readonly openForge: () => Forge
  readonly label: string
  /** The name that a comment begins with. */
  readonly name: string
  /** Who may ask. Empty: everyone with write access. */
  readonly people: readonly string[]
  readonly repository: string
  /** The directory that budgets count its runs for. */
  readonly budgetDirectory: string
  readonly runs: WatchedRuns
  /** Where people see a run. */
  readonly linkTo: (runId: string) => string | undefined
  /** The directory of all watchers of the user. */
  readonly directory: string
  readonly intervalMs: number
  /** Nobody continues here what waits for a person: the issue is given back. */
  readonly isAlone: boolean
}

type Issue = Pick<TakenIssue, 'number' | 'url'>
type Said = { readonly run?: DrivenRun; readonly problem?: string; readonly isDone?: boolean }
type Mention = { readonly id: number; readonly text: string }

/** Each of them has a worktree. The others are for other machines, or for later. */
const MOST_OPEN = 20
/** An issue that was left to others is looked at again after as many looks. */
const LOOKS_LEFT = 5
const DONE: readonly DrivenRun['state'][] = ['ended', 'merged', 'discarded']
const WORKING: readonly DrivenRun['state'][] = ['queued', 'running', 'waiting_for_limit', 'continued']
/** After these, starting a run is tried again. */
const PASSING: readonly FaultKind[] = ['unauthorized', 'unavailable', 'rate_limited', 'internal']

export class IssueWatch implements Watch {
  readonly #options: IssueWatchOptions
  readonly #id: string
  /** Read with the first look, when no other process watches any more. */
  #taken = new Map<number, TakenIssue>()
  #isFirstLook = true
  /** The issues that others have, or that nobody asked for who may, and for how many looks they are left. */
  readonly #left = new Map<number, number>()
  /** The comments that were considered, as they were. */
  #heard = new Set<string>()
  #started: string[] = []
  /** A budget of its runs has nothing left: no further issue is taken. */
  #isSpent = false
  /** Why an issue could not be taken, such as a locked one. */
  #refusal: WatchRecord['problem']
  #forge: Forge
  #viewer: string | undefined
  /** Asks once in each look. */
  #mayAsk: (login: string) => Promise<boolean>

  /** `id` is that of the watcher. */
  constructor(id: string, options: IssueWatchOptions) {
    this.#id = id
    this.#options = options
    this.#forge = options.openForge()
    this.#mayAsk = rightsIn(this.#forge, options.people)
  }

  async look(record: WatchRecord, _save: (record: WatchRecord) => void): Promise<LookResult> {
    const { directory } = this.#options
    if (this.#isFirstLook) this.#taken = new Map(listTaken(directory, this.#id).map((each) => [each.number, each]))
    this.#isFirstLook = false
    this.#started = []
    this.#refusal = undefined
    this.#mayAsk = rightsIn(this.#forge, this.#options.people)
    const { budgets } = await this.#options.runs.budgets()
    const spent = findSpent(budgets, this.#options)
    this.#isSpent = spent !== undefined
    for (const taken of this.#taken.values())
      if (taken.state === 'taking') await this.#trying(taken.number, () => this.#claim(taken))
    if (!this.#isSpent) await this.#takeLabeled()
    const since = await this.#hear(record.since)
    const working = await this.#report()
    // It would keep the pages of every time.
    if (since !== record.since) this.#forge = this.#options.openForge()
    const last = this.#started.at(-1) ?? record.last_run_id
    const looked = { ...record, since, ...(last !== undefined && { last_run_id: last }) }
    return {
      record: looked,
      waitMs: this.#options.intervalMs,
      started: this.#started,
      working,
      problem: spent ?? this.#refusal,
    }
  }

  /** An issue on which drover may not comment does not keep it from the others. */
  async #trying(number: number, take: () => Promise<void>): Promise<void> {
    try {
      await take()
    } catch (error) {
      // A comment that exists has taken the issue.
      const isTaken = this.#taken.get(number)?.comment_id !== undefined
      if (isTaken || !isFault(error, providerForbidden)) throw error
      this.#refusal = { code: error.code, message: error.message }
      this.#forget(number)
    }
  }

  async #takeLabeled(): Promise<void> {
    const { label } = this.#options
    for (const [number, looks] of this.#left) {
      if (looks > 1) this.#left.set(number, looks - 1)
      else this.#left.delete(number)
    }
    for (const issue of await this.#forge.issuesWith(label)) {
      const isTaken = (this.#taken.get(issue.number)?.state ?? 'done') !== 'done'
      if (isTaken || this.#left.has(issue.number)) continue
      const open = [...this.#taken.values()].filter(({ state }) => state !== 'done')
      if (open.length >= MOST_OPEN) return
      const asked = lastLabeled(await this.#forge.labelings(issue.number), label)
      await this.#trying(issue.number, () => this.#take(issue, asked))
    }
  }

  /** Comments that begin with the name. Returns how far they are done. */
  async #hear(since: string): Promise<string> {
    const { name } = this.#options
    const comments = await this.#forge.commentsSince(since)
    const left = new Set<ForgeComment>()
    for (const comment of comments.toSorted((a, b) => a.id - b.id)) {
      const text = mentionIn(comment.body, name)
      // Those on pull requests are for the run that follows the pull request.
      if (text === undefined || !comment.url.includes('/issues/') || this.#heard.has(markOf(comment))) continue
      if ((await this.#heed(comment, { id: comment.id, text })) === 'left') left.add(comment)
    }
    this.#heard = new Set(comments.filter((each) => !left.has(each)).map(markOf))
    if (left.size > 0) return since
    return comments.reduce((last, { updatedAt }) => (updatedAt > last ? updatedAt : last), since)
  }

  /** What would start a run is left for later if a budget is spent. */
  async #heed(comment: ForgeComment, mention: Mention): Promise<'done' | 'left'> {
    const taken = this.#taken.get(comment.on)
    if (taken !== undefined && mention.id <= taken.mention) return 'done'
    const { is } = taken === undefined ? { is: 'done' } : await this.#refresh(taken)
    if (taken === undefined || is === 'done') {
      if (this.#isSpent) return 'left'
      const issue = { number: comment.on, url: comment.url.replace(/#.*$/, '') }
      await this.#take(issue, { by: comment.author, at: comment.updatedAt }, mention)
    } else if (await this.#mayAsk(comment.author)) await this.#continue(taken, mention)
    return 'done'
  }

  /** Only the machine that has taken an issue continues its run. */
  async #continue(taken: TakenIssue, mention: Mention): Promise<void> {
    const { runs } = this.#options
    const run = await this.#find(taken)
    const decided = run === undefined ? 'nothing' : decideMention(run, mention.text)
    if (run !== undefined && decided === 'answer') await runs.answer(run.id, mention.text)
    if (run !== undefined && decided === 'resume') await runs.resume(run.id)
    this.#save({ ...(this.#taken.get(taken.number) ?? taken), mention: mention.id })
  }

  async #take({ number, url }: Issue, asked: AskedWork | undefined, mention?: Mention): Promise<void> {
    const before = this.#taken.get(number)
    if (asked !== undefined && before !== undefined && asked.at <= before.asked_at) return this.#leave(number)
    const edit = await this.#forge.lastEdit(number)
    const people = [asked?.by, edit?.by].filter((each) => each !== undefined)
    const permitted = new Set<string>()
    for (const login of people) if (await this.#mayAsk(login)) permitted.add(login)
    const judged = judgeRequest(asked, { edit, mayAsk: (login) => permitted.has(login) })
    if (judged !== 'permitted' || asked === undefined) return this.#leave(number)
    const ids = { claim: randomIds.uuid(), run_id: randomIds.uuid(), asked_at: asked.at }
    const note = mention === undefined || mention.text === '' ? {} : { note: mention.text }
    const label = mention === undefined ? { label: this.#options.label } : {}
    const heard = { mention: mention?.id ?? before?.mention ?? 0, ...note, ...label }
    const taken = { version: 1, number, url, ...ids, state: 'taking', ...heard } as const
    await this.#claim(this.#save(taken))
  }

  /** The first comment wins. A comment that a person has deleted gives the issue back. */
  async #claim(taken: TakenIssue): Promise<void> {
    let own = taken
    const issue = await this.#forge.issue(own)
    if (issue === undefined) return this.#forget(own.number)
    let step = decideClaim(own, await this.#claims(own.number))
    const problem = whyNotWanted(issue, own.label)
    if (problem !== undefined)
      return await this.#giveUp(step.is === 'won' ? { ...own, comment_id: step.commentId } : own, problem)
    if (step.is === 'post' && own.comment_id === undefined) {
      const said = this.#compose(own)
      const { id } = await this.#forge.comment(own.number, said)
      own = this.#save({ ...own, comment_id: id, said })
      step = decideClaim(own, await this.#claims(own.number))
    }
    if (step.is === 'won') return await this.#start(this.#save({ ...own, comment_id: step.commentId }))
    if (step.is === 'lost' && step.commentId !== undefined) await this.#forge.deleteComment(step.commentId)
    this.#forget(own.number)
  }

  /** Before the run has begun. */
  async #giveUp(taken: TakenIssue, problem: string): Promise<void> {
    const said = await this.#say(taken, this.#compose(taken, { problem, isDone: true }))
    this.#save({ ...said, state: 'done' })
  }

  #forget(number: number): void {
    this.#taken.delete(number)
    this.#leave(number)
    removeTaken(this.#options.directory, this.#id, number)
  }

  #leave(number: number): void {
    this.#left.set(number, LOOKS_LEFT)
  }

  /** Those of the account that drover uses, and of people who may ask. */
  async #claims(number: number): Promise<IssueClaim[]> {
    this.#viewer ??= await this.#forge.viewer()
    const found: IssueClaim[] = []
    for (const claim of claimsIn(await this.#forge.comments(number)))
      if (claim.author === this.#viewer || (await this.#mayAsk(claim.author))) found.push(claim)
    return found
  }

  async #start(taken: TakenIssue): Promise<void> {
    const { runs, repository } = this.#options
    const { run_id: runId, url: issue, note } = taken
    try {
      const edit = await this.#forge.lastEdit(taken.number)
      const isForeign = edit !== undefined && edit.at >= taken.asked_at && !(await this.#mayAsk(edit.by))
      if (isForeign) throw issueEdited({ url: issue })
      const asked = { issue, issueEdit: edit?.at ?? '', note, label: this.#options.label }
      await runs.start({ ...NEW_RUN, ...asked, runId, repository })
    } catch (error) {
      if (!(error instanceof Fault) || PASSING.includes(error.kind)) throw error
      const said = await this.#say(taken, this.#compose(taken, { problem: error.message, isDone: true }))
      return void this.#save({ ...said, state: 'done' })
    }
    this.#started.push(runId)
    this.#save({ ...taken, state: 'started' })
  }

  /** Keeps the comments up to date. Returns how many runs still work. */
  async #report(): Promise<number> {
    let working = 0
    for (const taken of this.#taken.values()) if ((await this.#refresh(taken)).is === 'working') working += 1
    return working
  }

  async #refresh(taken: TakenIssue): Promise<{ is: 'done' | 'working' | 'waiting' }> {
    if (taken.state !== 'started') return { is: taken.state === 'done' ? 'done' : 'working' }
    const run = await this.#find(taken)
    const problem = run?.state === 'queued' ? whyNotWanted(await this.#forge.issue(taken), taken.label) : undefined
    if (run !== undefined && problem !== undefined) {
      await this.#options.runs.stop(run.id)
      await this.#giveUp(taken, problem)
      return { is: 'done' }
    }
    const isWorking = run !== undefined && WORKING.includes(run.state)
    const isDone = run === undefined || DONE.includes(run.state) || (this.#options.isAlone && !isWorking)
    const said = run === undefined ? taken : await this.#say(taken, this.#compose(taken, { run, isDone }))
    if (isDone) this.#save({ ...said, state: 'done' })
    return { is: isDone ? 'done' : isWorking ? 'working' : 'waiting' }
  }

  async #say(taken: TakenIssue, said: string): Promise<TakenIssue> {
    const { comment_id: id } = taken
    if (id === undefined || said === taken.said) return taken
    try {
      await this.#forge.editComment(id, said)
    } catch (error) {
      // A person has deleted it.
      if (!(error instanceof Fault) || error.code !== issueNotFound.code) throw error
    }
    return this.#save({ ...taken, said })
  }

  #compose({ claim, run_id: runId }: TakenIssue, { run, problem, isDone = false }: Said = {}): string {
    const { linkTo, name } = this.#options
    const question = run?.state === 'waiting' ? run.waits_for?.question : undefined
    const shown = run && { run: { verdict: run.verdict, question } }
    return composeComment({ claim, runId, link: linkTo(runId), name, problem, isDone, ...shown })
  }

  /** Undefined if the run is gone. */
  async #find({ run_id: runId }: TakenIssue): Promise<DrivenRun | undefined> {
    try {
      return await showLast(this.#options.runs, runId)
    } catch (error) {
      if (error instanceof Fault && error.kind === 'not_found') return undefined
      throw error
    }
  }

  #save(taken: TakenIssue): TakenIssue {
    saveTaken(this.#options.directory, this.#id, taken)
    this.#taken.set(taken.number, taken)
    return taken
  }
}

function markOf({ id, updatedAt }: ForgeComment): string {
  return `${id} ${updatedAt}`
}
