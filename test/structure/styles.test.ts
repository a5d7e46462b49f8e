import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

const folder = join(import.meta.dirname, '..', '..', 'web', 'src', 'styles')

/** Properties with four values: top, right, bottom and left. */
const aroundTheBox = /^(margin|padding|inset|scroll-(margin|padding)|border-(width|color|style))$/

/** Returns the declarations that name a side, although some languages are written from right to left. */
function sidedDeclarations(css: string): string[] {
  const plain = css.replace(/\/\*.*?\*\//gs, '')
  return [...plain.matchAll(/(?<=[{;]\s*)([\w-]+)\s*:\s*([^;{}]+)(?=[;}])/g)].flatMap(
    ([whole, property = '', value = '']) => (isSided(property, value) ? [whole.trim()] : []),
  )
}

function isSided(property: string, value: string): boolean {
  if (/\b(left|right)\b/.test(property) || /\b(left|right)\b/.test(value)) return true
  // Spaces inside brackets do not separate values.
  const parts = value.match(/(?:[^\s(]|\([^()]*(?:\([^()]*\)[^()]*)*\))+/g) ?? []
  const [first, second, third, fourth] = parts
  if (aroundTheBox.test(property)) return fourth !== undefined && second !== fourth
  return property === 'border-radius' && parts.length > 1 && !(first === second && third === fourth)
}

/** Parts that never contain many elements, or exist only for a moment. */
const smallParts = /(?:\.(?:dialog|picker|skeleton-\w+|field-pair)|#app|\.week-page)(?::not\()?:has\(/

/** Ends in a class, an attribute or an element of which every card has some. */
const afterPanel = /\.with-panel .*(?:(?:\.icon|\.button|\[dir\])\S*|[ >][a-z]+)$/

/**
 * Returns the selectors with which every change of the page would make the browser search or restyle many
 * elements: `:has()` with a descendant, `*` after `:has()`, `+` or `~`, and parts of cards after a class of the
 * page. With `:has()`, opening a menu over 500 cards took 25 ms more. With `+ *`, every element removed made the
 * browser restyle all that was near it. With `.with-panel .icon`, opening the panel restyled every card.
 */
function slowSelectors(css: string): string[] {
  const plain = css.replace(/\/\*.*?\*\//gs, '')
  const selectors = [...plain.matchAll(/[^{};]+(?=\{)/g)].map(([selector]) => selector.trim())
  return selectors.filter(
    (selector) =>
      /:has\(.*\*|[+~] \*/.test(selector) ||
      (/:has\((?![>+~])/.test(selector) && !smallParts.test(selector)) ||
      selector.split(',').some((one) => afterPanel.test(one.trim())),
  )
}

describe('The style sheets of the web client', () => {
  test('say start and end instead of left and right', () => {
    const sheets = globSync('*.css', { cwd: folder })
    assert.ok(sheets.length > 20)
    const faults = sheets.flatMap((name) =>
      sidedDeclarations(readFileSync(join(folder, name), 'utf8')).map(
        (declaration) => `${name}: ${declaration}`,
      ),
    )
    assert.deepEqual(faults, [])
  })

  test('would be rejected with a side in a name, in a value, or among four values', () => {
    const rejected = [
      'margin-left: 1px',
      'border-top-right-radius: 4px',
      'left: 0',
      'text-align: right',
      'padding: 0 var(--space-1) 0 calc(2px + (1px * 3))',
      'inset: 0 0 0 auto',
      'border-radius: 1px 2px',
    ]
    const allowed = [
      'margin-inline-start: 1px',
      'padding: 1px calc(2px + 3px) 0 calc(2px + 3px)',
      'inset: auto 0 0',
      'border-radius: 1px 1px 0 0',
    ]
    assert.deepEqual(sidedDeclarations(`.a:hover { ${[...rejected, ...allowed].join('; ')}; }`), rejected)
  })

  test('are all imported once, in the order of the cascade', () => {
    const index = readFileSync(join(folder, 'index.css'), 'utf8')
    const imported = [...index.matchAll(/@import "\.\/([\w-]+\.css)";/g)].map(([, name]) => name)
    assert.deepEqual(
      imported.toSorted(),
      globSync('*.css', { cwd: folder })
        .filter((name) => name !== 'index.css')
        .toSorted(),
    )
    assert.equal(imported[0], 'tokens.css')
    assert.equal(imported.at(-1), 'print.css')
  })

  test('contain no selector that makes the browser restyle many elements', () => {
    const faults = globSync('*.css', { cwd: folder }).flatMap((name) =>
      slowSelectors(readFileSync(join(folder, name), 'utf8')).map((selector) => `${name}: ${selector}`),
    )
    assert.deepEqual(faults, [])
  })

  test('would be rejected with a selector that makes the browser search or restyle all cards', () => {
    const rejected = [
      '.content:has(.panel) ~ .toasts',
      '.card-tools:not(:has(.running))',
      '.field:has(> .markdown-field) > *',
      '.box > :not(.visually-hidden) + *',
      '.with-panel .page-header :is(.button, .connection)',
      '.page, .with-panel .tab > span',
    ]
    const allowed = [
      '.row:has(> .button) > .text',
      '.page-title:has(~ .brief)',
      '.dialog:has(.shortcuts)',
      '.box > :not(:last-child)',
      'h2 + p',
      '.with-panel .page-header',
    ]
    const css = [...rejected, ...allowed].map((selector) => `${selector} { color: red; }`).join('\n')
    assert.deepEqual(slowSelectors(css), rejected)
  })
})
