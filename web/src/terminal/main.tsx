import { startApp } from '../kit/page/start-app.tsx';
import { App } from './App.tsx';

startApp(<App />);
