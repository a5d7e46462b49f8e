import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

/** A page of its own, without the navigation of the signed-in. */
export function Alone({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · Tracker`
  }, [title])
  return (
    <main class="alone">
      <div class="alone-card">
        <p class="brand">
          <img src="/icon.svg" alt="" width="32" height="32" />
          <span>Tracker</span>
        </p>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}
