import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { t } from '../texts/text.ts'
import { type Option, OptionLine, useActiveInView, useOptionSearch } from '../ui/combobox.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Keys } from '../ui/keys.tsx'

/** A line of the palette, which runs a command or leads to another step. */
export type PaletteItem = PaletteLine & (PaletteCommand | PaletteBranch)

interface PaletteLine extends Option {
  /** The heading above it. */
  readonly group: string
  readonly keys?: readonly string[]
  /** Marks the current value, such as the stage of an assignment. */
  readonly isCurrent?: boolean
}

interface PaletteCommand {
  run(): void
  readonly next?: undefined
}

interface PaletteBranch {
  next(): PaletteStep
}

export interface PaletteStep {
  readonly title: string
  readonly placeholder: string
  find(text: string, signal: AbortSignal): Promise<readonly PaletteItem[]>
}

export interface CommandPaletteProps {
  readonly first: PaletteStep
  onClose(): void
}

/**
 * Opens anything by its name or key, and does what the screens do. A choice that needs a value has a second
 * step, from which Backspace leads back; Escape closes all at once.
 */
export function CommandPalette({ first, onClose }: CommandPaletteProps) {
  const [steps, setSteps] = useState<readonly PaletteStep[]>([first])
  const step = steps.at(-1) ?? first
  const choose = (item: PaletteItem) => {
    if (item.next) return setSteps([...steps, item.next()])
    onClose()
    item.run()
  }
  const goBack = () => setSteps(steps.length > 1 ? steps.slice(0, -1) : steps)
  return (
    <Dialog title={first.title} kind="palette" onClose={onClose}>
      <Step
        key={steps.length}
        step={step}
        isFirst={steps.length === 1}
        onBack={goBack}
        onChoose={choose}
        onClose={onClose}
      />
    </Dialog>
  )
}

interface StepProps {
  readonly step: PaletteStep
  readonly isFirst: boolean
  onBack(): void
  onChoose(item: PaletteItem): void
  onClose(): void
}

function Step({ step, isFirst, onBack, onChoose, onClose }: StepProps) {
  const listId = useId()
  const input = useRef<HTMLInputElement>(null)
  const state = useOptionSearch(step.find, onChoose)
  const { text, items, active, problem } = state
  useLayoutEffect(() => input.current?.focus(), [])
  useActiveInView(listId, active)
  return (
    <>
      <div class="palette-field">
        {isFirst ? (
          <Icon name="search" />
        ) : (
          <button type="button" class="button quiet icon-only" aria-label={t('Back')} onClick={onBack}>
            <Icon name="left" />
          </button>
        )}
        <input
          ref={input}
          data-autofocus
          class="palette-input"
          type="text"
          role="combobox"
          aria-label={step.title}
          aria-expanded="true"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={items[active] ? `${listId}-${active}` : undefined}
          autocomplete="off"
          dir="auto"
          placeholder={step.placeholder}
          value={text}
          onInput={(event) => state.type(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Backspace' && text === '') onBack()
            else state.onKeyDown(event)
          }}
        />
        <button type="button" class="button quiet palette-close" title={t('Close')} onClick={onClose}>
          <kbd>Esc</kbd>
          <span>{t('Cancel')}</span>
        </button>
      </div>
      <div class="palette-list" id={listId} role="listbox" aria-label={step.title} tabIndex={-1}>
        {groupsOf(items).map(({ name, from, members }) => (
          // biome-ignore lint/a11y/useSemanticElements: a list of options has no field sets
          <div key={name} role="group" aria-label={name}>
            {name !== step.title && (
              <div class="palette-group" aria-hidden="true" dir="auto">
                {name}
              </div>
            )}
            {members.map((item, index) => (
              <OptionLine
                key={item.id}
                id={`${listId}-${from + index}`}
                isActive={from + index === active}
                onPoint={() => state.setActive(from + index)}
                onChoose={() => onChoose(item)}
              >
                <span class="palette-mark">{item.mark}</span>
                <span class="palette-name" dir="auto">
                  {item.name}
                </span>
                {item.note && (
                  <span class="quiet-text" dir="auto">
                    {item.note}
                  </span>
                )}
                {item.isCurrent && <Icon name="check" />}
                {item.keys && <Keys keys={item.keys} />}
                {item.next && <Icon name="right" />}
              </OptionLine>
            ))}
          </div>
        ))}
        {items.length === 0 && state.isUpToDate && (
          <div class="combobox-note" role="option" aria-selected={false} aria-disabled tabIndex={-1}>
            {problem ??
              (text === '' ? t('Nothing found.') : t('No results for “{text}”', { text: text.trim() }))}
          </div>
        )}
      </div>
      <footer class="palette-footer">
        {keyHints.map(({ keys, label }) => (
          <span key={label}>
            <Keys keys={keys} /> {t(label)}
          </span>
        ))}
        {!isFirst && (
          <span>
            <Keys keys={['⌫']} /> {t('Back')}
          </span>
        )}
      </footer>
    </>
  )
}

const keyHints = [
  { keys: ['↑', '↓'], label: 'Move' },
  { keys: ['Enter'], label: 'Choose' },
  { keys: ['Esc'], label: 'Close' },
] as const

/** Groups the items by their headings; `from` is the position of the first item of a group. */
function groupsOf(items: readonly PaletteItem[]) {
  const groups: { readonly name: string; readonly from: number; readonly members: PaletteItem[] }[] = []
  for (const [index, item] of items.entries()) {
    const last = groups.at(-1)
    if (last?.name === item.group) last.members.push(item)
    else groups.push({ name: item.group, from: index, members: [item] })
  }
  return groups
}
