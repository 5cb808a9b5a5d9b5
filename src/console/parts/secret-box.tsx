import { useSignal } from '@preact/signals'

/** Something that is shown this once, with a button that copies it. */
export function SecretBox({ name, secret, onClose }: { name: string; secret: string; onClose: () => void }) {
  const isCopied = useSignal(false)
  const copy = async () => {
    await navigator.clipboard?.writeText(secret).then(
      () => (isCopied.value = true),
      () => undefined,
    )
  }
  return (
    <section class="panel secret" aria-label={`The key ${name}`}>
      <p>
        <strong>This is the key {name}. It is not shown again.</strong> Copy it now: the server keeps only its digest.
      </p>
      <pre class="secret-text">{secret}</pre>
      <div class="actions">
        <button type="button" class="primary" onClick={() => void copy()}>
          {isCopied.value ? 'Copied' : 'Copy'}
        </button>
        <button type="button" onClick={onClose}>
          I have it
        </button>
      </div>
    </section>
  )
}
