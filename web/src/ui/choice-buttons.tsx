interface ChoiceButtonsProps<Name extends string> {
  readonly label: string
  readonly names: readonly Name[]
  readonly current: Name
  /** Keys that change the choice. */
  readonly keyShortcuts?: string
  labelOf(name: Name): string
  onChoose(name: Name): void
}

/** A row of buttons, one of which is pressed. */
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
        {props.labelOf(name)}
      </button>
    ))}
  </span>
)
