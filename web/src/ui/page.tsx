import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useServices } from '../services/services.ts'

export interface PageProps {
  readonly title: string
  /** Beside the title: what one can do here. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** The frame of a screen: its title, also in the tab; its heading takes the focus after a step from another screen. */
export function Page({ title, actions, children }: PageProps) {
  const { router } = useServices()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Tracker`
  }, [title])
  useEffect(() => {
    // On the first load the focus belongs to the top of the page.
    if (router.hasMoved()) heading.current?.focus({ preventScroll: true })
  }, [router])
  return (
    <div class="page">
      <header class="page-header">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions}
      </header>
      {children}
    </div>
  )
}
