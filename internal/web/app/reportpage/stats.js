import "./chart.js";
import "./live.js";
