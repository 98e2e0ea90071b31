import { startApp } from '../kit/AppProviders.tsx';
import { Mark } from '../kit/Mark.tsx';

startApp(<Mark size={64} />);
