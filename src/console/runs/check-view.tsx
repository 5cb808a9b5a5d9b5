/** How one check ended, with its output. */
import { Icon } from '../parts/icon.tsx'
import { Code } from '../parts/text-view.tsx'
import { formatDuration } from '../text/format.ts'
import { toLine, toVisible } from '../text/visible-text.ts'
import type { ShownCheck } from './timeline.ts'

export function CheckView({ check, isOpen = false }: { check: ShownCheck; isOpen?: boolean }) {
  return (
    <details class={`tool tool-${check.passed ? 'done' : 'failed'}`} open={isOpen}>
      <summary>
        <Icon name="terminal" />
        <code>{toLine(check.command)}</code>
        <span class="outcome">{describeCheck(check)}</span>
      </summary>
      <CheckOutput check={check} />
    </details>
  )
}

export function describeCheck({ passed, exit_code: code, problem, duration_ms: duration }: ShownCheck): string {
  const result = passed ? 'passed' : code === undefined ? (problem ?? 'failed') : `exit code ${code}`
  return `${toLine(result)} · ${formatDuration(duration)}`
}

export function CheckOutput({ check: { output, tests } }: { check: ShownCheck }) {
  return (
    <>
      {(tests?.changes ?? []).map(({ change, text, is_setback: isSetback }) => (
        <p key={change} class={isSetback ? 'warning' : 'dim'}>
          {toVisible(text)}
        </p>
      ))}
      <Code text={output === '' ? '(no output)' : output} />
    </>
  )
}
