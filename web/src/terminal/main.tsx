import { startApp } from '../kit/start-app.tsx';
import { App } from './App.tsx';

startApp(<App />);
