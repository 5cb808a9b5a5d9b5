/** Claims on the left, what drover saw on the right. A click opens the tool call, the output of the check, or the lines. */
import { useSignal } from '@preact/signals'
import { Fragment } from 'preact'
import type { DrivenDiff, DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { FileDiff } from '../diff/file-diff.tsx'
import { ToolCall } from '../execution/tool-call.tsx'
import { toHash } from '../live/router.ts'
import { useExecution } from '../live/use-execution.ts'
import { useWideEnough } from '../live/use-layout.ts'
import { toLine, toVisible } from '../text/visible-text.ts'
import { CheckView } from './check-view.tsx'
import { type EvidenceItem, listEvidence, type Proof } from './evidence-list.ts'

export function EvidenceTab({ run, diff }: { run: DrivenRun; diff: DrivenDiff | undefined }) {
  const chosen = useSignal<string | undefined>(undefined)
  // Where there is no room beside the claims, a proof is below its claim.
  const isWide = useWideEnough('(min-width: 901px)')
  const groups = listEvidence(run)
  const all = groups.flatMap(({ items }) => items)
  if (all.length === 0) return <p class="dim">Nothing was claimed or checked yet.</p>
  const item = all.find(({ key }) => key === chosen.value) ?? all.find(({ proof }) => proof !== undefined)
  const proof = item !== undefined && (
    <aside class="proof" aria-label="Proof">
      {item.proof === undefined ? (
        <p class="dim">Nothing shows it.</p>
      ) : (
        <ProofView key={item.key} run={run} proof={item.proof} diff={diff} />
      )}
    </aside>
  )
  return (
    <div class="evidence">
      <div class="claims">
        {groups.map(({ group, items }) => (
          <section key={group}>
            <h2>{group}</h2>
            {items.map((each) => (
              <Fragment key={each.key}>
                <ClaimRow item={each} isOpen={each === item} onOpen={() => (chosen.value = each.key)} />
                {!isWide && each === item && proof}
              </Fragment>
            ))}
          </section>
        ))}
      </div>
      {isWide && proof}
    </div>
  )
}

type RowProps = { item: EvidenceItem; isOpen: boolean; onOpen: () => void }

function ClaimRow({ item: { verdict, claim, seen }, isOpen, onOpen }: RowProps) {
  return (
    <button type="button" class="claim" data-row aria-pressed={isOpen} onClick={onOpen}>
      <span class={`verdict verdict-${verdict.replace(' ', '-')}`}>{verdict}</span>
      <span class="claim-text">{toVisible(claim)}</span>
      <span class="dim">{toVisible(seen)}</span>
    </button>
  )
}

function ProofView({ run, proof, diff }: { run: DrivenRun; proof: Proof; diff: DrivenDiff | undefined }) {
  if ('tool' in proof) return <ToolProof {...proof.tool} />
  if ('check' in proof) return <CheckView check={proof.check} isOpen />
  const file = diff?.files.find(({ path }) => path === proof.path)
  if (diff === undefined) return <p class="dim">Loading…</p>
  if (file === undefined) return <p class="dim">The branch does not change {toLine(proof.path)}.</p>
  return (
    <div class="file">
      <FileDiff run={run} file={file} isSplit={false} />
    </div>
  )
}

function ToolProof({ executionId, seq }: { executionId: string; seq: number }) {
  const { transcript } = useExecution(executionId)
  const tool = transcript.value.items.find(
    (item) => item.kind === 'tool' && (item.seq === seq || item.result?.seq === seq),
  )
  if (tool?.kind !== 'tool') return <p class="dim">Loading…</p>
  return (
    <>
      <ToolCall tool={tool} isOpen />
      <a href={toHash('executions', executionId, { seq: String(seq) })}>In what the agent did</a>
    </>
  )
}
