import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useServices } from '../services/services.ts'
import { layerOf, SheetTitle } from './menu.tsx'
import { centreCurrent } from './page.tsx'
import { placeBelow } from './viewport.ts'

interface ChoiceButtonsProps<Name extends string> {
  readonly label: string
  readonly names: readonly Name[]
  readonly current: Name
  /** Keys that change the choice. */
  readonly keyShortcuts?: string
  labelOf(name: Name): string
  /** Shows a number after the label. Its place is reserved while it is undefined. */
  readonly countOf?: ((name: Name) => number | undefined) | undefined
  onChoose(name: Name): void
}

/** A row of buttons. One of them is pressed. */
export const ChoiceButtons = <Name extends string>(props: ChoiceButtonsProps<Name>) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset would look like a form
  <span class="choice-buttons" role="group" aria-label={props.label} aria-keyshortcuts={props.keyShortcuts}>
    {props.names.map((name) => (
      <button
        key={name}
        type="button"
        aria-pressed={name === props.current}
        onClick={() => props.onChoose(name)}
      >
        {props.labelOf(name)} {props.countOf && <span class="choice-count">{props.countOf(name)}</span>}
      </button>
    ))}
  </span>
)

interface Tab {
  readonly label: string
  readonly href: string
  readonly isCurrent: boolean
}

/** Links to the parts of a screen. On a phone not all of them fit, so the current one is scrolled into view. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const list = useLineOfLinks(tabs.find(({ isCurrent }) => isCurrent)?.href)
  return (
    <nav ref={list} class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.href} href={tab.href} aria-current={tab.isCurrent ? 'page' : undefined}>
          {tab.label}
        </a>
      ))}
    </nav>
  )
}

/**
 * Returns a reference for a line of links. It keeps the current one in view, at first and whenever the width changes,
 * and marks a line that fits: without it, the fade of a line that no longer scrolls would stay.
 */
export function useLineOfLinks(current: string | undefined) {
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    if (list.current === null) return
    const observer = new ResizeObserver(([entry]) => {
      const line = entry?.target
      line?.toggleAttribute('data-fits', line.scrollWidth <= line.clientWidth)
      if (line) centreCurrent(line)
    })
    observer.observe(list.current)
    return () => observer.disconnect()
  }, [current])
  return list
}

interface PopoverProps {
  readonly button: ComponentChildren
  readonly buttonClass?: string
  readonly label: string
  /** The content of the layer, which is rendered only while it is open. */
  readonly children: ComponentChildren
}

/** The margin of a page. The layer keeps the same distance from the edge. */
const pagePixels = 24

const focused = ':is(a[href], button, select):not(.sheet-title *)'

/**
 * A button with a layer of information below it. Escape or a click elsewhere closes the layer. Escape returns
 * the focus to the button.
 */
export function Popover({ button, buttonClass = 'button', label, children }: PopoverProps) {
  const anchor = useRef<HTMLButtonElement>(null)
  const layer = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  useLayoutEffect(() => {
    if (!isOpen || layer.current === null || anchor.current === null) return
    layer.current.showPopover()
    placeBelow(layer.current, anchor.current, { matchesWidth: true, edgePixels: pagePixels })
    const target = layer.current.querySelector<HTMLElement>(focused) ?? layer.current
    target.focus()
  }, [isOpen])
  return (
    <>
      <button
        ref={anchor}
        type="button"
        class={buttonClass}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen && (
        <div
          ref={layer}
          class="popover"
          role="dialog"
          aria-label={label}
          tabIndex={-1}
          {...layerOf(anchor, () => setOpen(false))}
        >
          <SheetTitle title={label} onClose={() => layer.current?.hidePopover()} />
          {children}
        </div>
      )}
    </>
  )
}

/** Opens the dialog of a new record when the URL has `?new=1`, as in links of the palette. */
export function useOpenNewFromUrl(open: () => void): void {
  const { router } = useServices()
  const isRequested = router.address.value.searchParams.get('new') === '1'
  useEffect(() => {
    if (!isRequested) return
    open()
    router.setQuery({ new: '' })
  }, [isRequested])
}
