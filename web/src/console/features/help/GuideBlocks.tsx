import { type Block, type Inline, type Line, plainText } from './guide-blocks.ts';
import styles from './Help.module.css';

/** Uses the index as key: the parts of a guide never change their order. */
const keyed = <T,>(items: readonly T[]) =>
  items.map((item, place) => ({ item, key: String(place) }));

function Piece({ piece }: { readonly piece: Inline }) {
  if (piece.kind === 'code') return <code>{piece.text}</code>;
  if (piece.kind === 'strong') return <strong>{piece.text}</strong>;
  if (piece.kind === 'emphasis') return <em>{piece.text}</em>;
  return piece.kind === 'link' ? <a href={`#${piece.to}`}>{piece.text}</a> : piece.text;
}

function Words({ line }: { readonly line: Line }) {
  return keyed(line).map(({ item, key }) => <Piece key={key} piece={item} />);
}

function Part({ block }: { readonly block: Block }) {
  if (block.kind === 'heading') {
    const Heading = block.level === 3 ? 'h3' : 'h2';
    return (
      <Heading id={block.id} {...(block.level === 1 && { className: styles.task })}>
        <Words line={block.line} />
      </Heading>
    );
  }
  if (block.kind === 'paragraph') {
    return (
      <p>
        <Words line={block.line} />
      </p>
    );
  }
  if (block.kind === 'code') {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      <pre tabIndex={0}>
        <code>{block.text}</code>
      </pre>
    );
  }
  if (block.kind === 'list') {
    const List = block.ordered ? 'ol' : 'ul';
    return (
      <List>
        {keyed(block.items).map(({ item, key }) => (
          <li key={key}>
            <Words line={item} />
          </li>
        ))}
      </List>
    );
  }
  return (
    <section
      className={styles.table}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: as above
      tabIndex={0}
      aria-label={block.head.map(plainText).join(', ')}
    >
      <table>
        <thead>
          <tr>
            {keyed(block.head).map(({ item, key }) => (
              <th key={key} scope="col">
                <Words line={item} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {keyed(block.rows).map(({ item: row, key }) => (
            <tr key={key}>
              {keyed(row).map(({ item, key: cell }) => (
                <td key={cell}>
                  <Words line={item} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Renders the blocks of a guide. Their text never becomes HTML. */
export function GuideBlocks({ blocks }: { readonly blocks: readonly Block[] }) {
  return keyed(blocks).map(({ item, key }) => <Part key={key} block={item} />);
}
