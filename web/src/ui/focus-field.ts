/**
 * Focuses the text field of a layer, so that the user can type at once. On a phone, focuses its list, because
 * the keyboard of the screen would cover half of the layer.
 */
export function focusField(layer: HTMLElement | null): void {
  const isPhone = matchMedia('(max-width: 640px) and (pointer: coarse)').matches
  layer?.querySelector<HTMLElement>(isPhone ? '[role="listbox"], .button' : 'input')?.focus()
}
