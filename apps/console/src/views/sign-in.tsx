import { useSignal } from '@preact/signals'
import type { TargetedSubmitEvent } from 'preact'
import { session, signIn } from '#/session.ts'

export function SignIn() {
  const wrong = useSignal<string | null>(null)
  const waiting = useSignal(false)
  const { value } = session
  const because = value.state === 'out' ? value.because : null

  async function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    const key = new FormData(event.currentTarget).get('accessKey')
    wrong.value = null
    waiting.value = true
    wrong.value = await signIn(typeof key === 'string' ? key.trim() : '')
    waiting.value = false
    if (wrong.value !== null) document.getElementById('access-key')?.focus()
  }

  return (
    <main class="sign-in">
      <form class="panel" onSubmit={(event) => void submit(event)}>
        <img src="/console/icon.svg" alt="" width="56" height="56" />
        <h1>Restaurant console</h1>
        {because && (
          <p class="wish" role="status">
            {because}
          </p>
        )}
        <KeyField isWrong={wrong.value !== null} />
        <p class="error" role="alert">
          {wrong.value}
        </p>
        {!isSecureContext && (
          <p class="error">You cannot sign in over plain http. Open this page over https.</p>
        )}
        <button class="primary" type="submit" disabled={waiting.value}>
          {waiting.value ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
    </main>
  )
}

function KeyField({ isWrong }: { isWrong: boolean }) {
  return (
    <>
      <label htmlFor="access-key">Access key</label>
      <input
        id="access-key"
        name="accessKey"
        type="password"
        autocomplete="current-password"
        autocapitalize="off"
        spellcheck={false}
        required
        aria-describedby="access-key-hint"
        aria-invalid={isWrong}
      />
      <small id="access-key-hint">
        The access key of your restaurant. It begins with <code>platter_</code>.
      </small>
    </>
  )
}
