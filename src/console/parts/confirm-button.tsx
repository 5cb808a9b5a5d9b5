import { useSignal } from '@preact/signals'

type ConfirmButtonProps = { says: string; asks: string; onConfirm: () => void }

/** A button that asks once more, in place. */
export function ConfirmButton({ says, asks, onConfirm }: ConfirmButtonProps) {
  const isAsking = useSignal(false)
  if (!isAsking.value)
    return (
      <button type="button" class="small" onClick={() => (isAsking.value = true)}>
        {says}
      </button>
    )
  return (
    <span class="confirm">
      <span>{asks}</span>
      <button
        type="button"
        class="small danger"
        onClick={() => {
          isAsking.value = false
          onConfirm()
        }}
      >
        {says}
      </button>
      <button type="button" class="small" onClick={() => (isAsking.value = false)}>
        Cancel
      </button>
    </span>
  )
}
