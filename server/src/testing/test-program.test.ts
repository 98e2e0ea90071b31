import { expect, it } from 'vitest';
import { requirePages } from './test-program.ts';

it('names the command that builds the web when the web is not built', async () => {
  await expect(requirePages('/nonexistent/index.html', 50)).rejects.toThrow(
    '/nonexistent/index.html. Build the web: npm run build',
  );
});
