import type { ComponentChildren, TargetedKeyboardEvent, TargetedToggleEvent } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { t } from '../texts/text.ts'
import { Icon, IconButton, type IconName } from './icon.tsx'
import { isTouched, placeBelow } from './viewport.ts'

export interface MenuItem {
  readonly label: string
  /** Shown before the label. */
  readonly mark?: ComponentChildren
  readonly icon?: IconName
  /** Marks the current place, such as the stage of a card. */
  readonly isCurrent?: boolean
  readonly kind?: 'danger' | 'section-start' | undefined
  /** If set, the item is a checkbox, and the menu stays open. */
  readonly isChecked?: boolean
  /** The key that runs it without the menu. */
  readonly shortcut?: string
  run(): void
}

interface MenuProps {
  /** The content of the button, which may be only an icon: `label` is its accessible name. */
  readonly children: ComponentChildren
  readonly label: string
  readonly items: readonly MenuItem[]
  readonly class?: string
}

/**
 * A button with a list of actions below it: arrows move, Escape closes, a letter goes to the next action that
 * begins with it. The actions are rendered while the list is open, because a board has a menu on every card.
 */
export function Menu({ children, label, items, class: className = 'button quiet icon-only' }: MenuProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  useLayoutEffect(() => {
    const layer = list.current
    if (!isOpen || button.current === null || layer === null) return
    layer.showPopover()
    placeBelow(layer, button.current)
    const find = (selector: string) => layer.querySelector<HTMLElement>(selector)
    ;(find('[aria-current]') ?? find(item))?.focus()
    // A finger needs no highlight, but the current item is in view.
    if (isTouched()) find('[role=menu]')?.focus({ preventScroll: true })
  }, [isOpen])
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  const choose = (item: MenuItem) => {
    if (item.isChecked === undefined) close()
    item.run()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        class={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => (isOpen ? close() : setOpen(true))}
      >
        {children}
      </button>
      {isOpen && (
        <div ref={list} id={id} class="menu" {...layerOf(button, () => setOpen(false))}>
          <SheetTitle title={label} onClose={close} />
          <div role="menu" aria-label={label} tabIndex={-1} onKeyDown={moveFocus}>
            {items.map((item) => (
              <MenuButton key={item.label} item={item} onChoose={() => choose(item)} />
            ))}
          </div>
        </div>
      )}
    </>
  )
}

export type ElementRef<Kind extends HTMLElement = HTMLElement> = { readonly current: Kind | null }

/**
 * Returns the attributes of a layer, which is open while it is rendered. Escape closes it and returns the focus to its
 * button. The browser reports that a layer was closed only later, when the button may have opened another one.
 */
export const layerOf = (button: ElementRef, onClosed: () => void) => ({
  popover: 'auto' as const,
  onToggle: ({ newState, currentTarget }: TargetedToggleEvent<HTMLElement>) => {
    if (newState === 'closed' && currentTarget.isConnected) onClosed()
  },
  onKeyDown: (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    onClosed()
    button.current?.focus()
  },
})

/** The head of a layer, which is shown only on phones, where the layer is a sheet. */
export const SheetTitle = ({ title, onClose }: { readonly title: string; onClose(): void }) => (
  <div class="sheet-title">
    <strong dir="auto">{title}</strong>
    <IconButton icon="close" label={t('Close')} run={onClose} />
  </div>
)

const MenuButton = ({ item, onChoose }: { readonly item: MenuItem; onChoose(): void }) => (
  <button
    type="button"
    {...roleOf(item)}
    class={`menu-item ${item.kind ?? ''}`}
    dir="auto"
    aria-current={item.isCurrent ? 'true' : undefined}
    tabIndex={-1}
    aria-keyshortcuts={item.shortcut}
    onMouseMove={(event) => event.currentTarget.focus()}
    onClick={onChoose}
  >
    {(item.icon || item.mark) && (
      <span class="filter-menu-mark">{item.icon ? <Icon name={item.icon} /> : item.mark}</span>
    )}
    {item.label}
    {(item.isChecked || item.isCurrent) && <Icon name="check" />}
    {item.shortcut && <kbd>{item.shortcut}</kbd>}
  </button>
)

const roleOf = ({ isChecked }: MenuItem) =>
  isChecked === undefined
    ? ({ role: 'menuitem' } as const)
    : ({ role: 'menuitemcheckbox', 'aria-checked': isChecked } as const)

const item = '[role^=menuitem]'

const steps: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowDown: (index, count) => (index + 1) % count,
  ArrowUp: (index, count) => (Math.max(index, 0) - 1 + count) % count,
  Home: () => 0,
  End: (_index, count) => count - 1,
}

function moveFocus(event: TargetedKeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>(item)]
  const index = items.findIndex((item) => item.matches(':focus'))
  const step = steps[event.key]
  const letter = event.key.length === 1 ? event.key.toLowerCase() : undefined
  const next =
    step === undefined
      ? items.find((item) => letter && item.textContent?.toLowerCase().startsWith(letter))
      : items[step(index, items.length)]
  if (event.key === 'Tab') event.currentTarget.parentElement?.hidePopover()
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}
